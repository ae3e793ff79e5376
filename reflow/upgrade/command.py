"""`tf_upgrade_v2` and `reflow upgrade`: files, folders and notebooks, and a report with line numbers."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys

from reflow.upgrade.upgrader import ERROR, Log, Upgraded, upgrade

_LINE = "-" * 80 + "\n"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tf_upgrade_v2",
        description="Rewrite programs of TensorFlow 1 for TensorFlow 2: Python files, notebooks, or a folder of them.",
    )
    parser.add_argument("--infile", help="the file to rewrite")
    parser.add_argument("--outfile", help="where to write it")
    parser.add_argument("--intree", help="the folder to rewrite")
    parser.add_argument("--outtree", help="where to write it; it must not exist")
    parser.add_argument(
        "--copyotherfiles", type=lambda text: bool(text), default=True, help="whether to copy the folder's other files"
    )
    parser.add_argument("--inplace", action="store_true", help="write over what is read")
    parser.add_argument(
        "--no_import_rename", action="store_true", help="leave imports of tensorflow alone, as is done anyway"
    )
    parser.add_argument(
        "--no_upgrade_compat_v1_import", action="store_true",
        help="leave programs alone that import tensorflow.compat.v1 as tf",
    )
    parser.add_argument("--reportfile", default="report.txt", help="where to write the report (default: report.txt)")
    parser.add_argument(
        "--mode", choices=["DEFAULT", "SAFETY"], default="DEFAULT", help="SAFETY only imports compat.v1"
    )
    parser.add_argument("--print_all", action="store_true", help="print the whole log")
    return parser


def main(arguments: list[str]) -> int:
    """Rewrite what the options name, and write the report; 0, or 2 for options that do not fit."""
    parser = _parser()
    options = parser.parse_args(arguments)
    for kind in ("file", "tree"):
        source, target = getattr(options, f"in{kind}"), getattr(options, f"out{kind}")
        if source and not options.inplace and not target:
            parser.error(f"--out{kind} is required, or --inplace")
        if source and options.inplace and target:
            parser.error(f"--out{kind} is invalid with --inplace")
    if options.infile:
        pairs = [(options.infile, options.infile if options.inplace else options.outfile)]
    elif options.intree:
        pairs = _tree(options, parser)
    else:
        parser.print_help()
        return 0
    results = {source: _rewrite(source, target, options) for source, target in pairs}
    report, detail = _report(results), "".join(_detail(s, t, results[s]) for s, t in pairs)
    whole = f"{report}{'=' * 80}\nDetailed log follows:\n\n{'=' * 80}\n{detail}"
    with open(options.reportfile, "w") as file:
        file.write(whole)
    print(whole if options.print_all else report)
    print(f"\nMake sure to read the detailed log {options.reportfile!r}\n")
    return 0


def _tree(options: argparse.Namespace, parser: argparse.ArgumentParser) -> list[tuple[str, str]]:
    """The files of a folder to rewrite; the others are copied."""
    target = options.intree if options.inplace else options.outtree
    if not options.inplace and os.path.exists(target):
        parser.error(f"Output directory {target!r} must not already exist.")
    pairs = []
    for folder, _, names in os.walk(options.intree):
        place = os.path.join(target, os.path.relpath(folder, options.intree))
        os.makedirs(place, exist_ok=True)
        for name in sorted(names):
            source, output = os.path.join(folder, name), os.path.normpath(os.path.join(place, name))
            if name.endswith((".py", ".ipynb")) and not os.path.islink(source):
                pairs.append((source, output))
            elif not options.inplace and options.copyotherfiles:
                shutil.copy(source, output, follow_symlinks=False)
    return pairs


def _rewrite(source: str, target: str, options: argparse.Namespace) -> Upgraded:
    with open(source, encoding="utf-8") as file:
        text = file.read()
    change = _notebook if source.endswith(".ipynb") else upgrade
    done = change(text, options.mode == "SAFETY", not options.no_upgrade_compat_v1_import)
    if done.text is not None:
        with open(target, "w", encoding="utf-8") as file:
            file.write(done.text)
    return done


def _notebook(text: str, safe: bool, upgrade_import: bool) -> Upgraded:
    """Each code cell separately; shell and IPython lines stay unchanged."""
    try:
        notebook = json.loads(text)
    except ValueError as error:
        return Upgraded(None, [Log(ERROR, 1, 0, f"Failed to parse: {error}")])
    log = []
    for cell in notebook.get("cells", []):
        if cell.get("cell_type") != "code":
            continue
        lines = "".join(cell["source"]).splitlines(keepends=True)
        hidden = {i: line for i, line in enumerate(lines) if line.lstrip().startswith(("!", "%", "?"))}
        plain = "".join("#\n" if i in hidden else line for i, line in enumerate(lines))
        done = upgrade(plain, safe, upgrade_import)
        log += done.log
        if done.text is not None:
            new = done.text.splitlines(keepends=True)
            cell["source"] = [hidden.get(i, line) for i, line in enumerate(new)]
    return Upgraded(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", log)


def _report(results: dict[str, Upgraded]) -> str:
    issues = sum(len(result.issues) for result in results.values())
    text = (
        "TensorFlow 2.0 Upgrade Script\n-----------------------------\n"
        f"Converted {len(results)} files\nDetected {issues} issues that require attention\n{_LINE}"
    )
    for source, result in results.items():
        if result.issues:
            text += f"{_LINE}File: {source}\n{_LINE}" + "".join(f"{source}:{line}\n" for line in result.issues)
    return text


def _detail(source: str, target: str, result: Upgraded) -> str:
    lines = "\n".join(map(str, result.log))
    return f"{_LINE}Processing file {source!r}\n outputting to {target!r}\n{_LINE}\n{lines}\n{_LINE}\n"


def console() -> None:
    """The console script `tf_upgrade_v2`."""
    sys.exit(main(sys.argv[1:]))
