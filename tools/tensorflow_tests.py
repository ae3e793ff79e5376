"""TensorFlow's own unit tests on Reflow (`make tensorflow-tests`).

    python tools/tensorflow_tests.py                       # all files that have no result yet, then the table by area
    python tools/tensorflow_tests.py ops/ragged framework  # these areas
    python tools/tensorflow_tests.py framework/ops_test.py # this file, below tensorflow/python
    python tools/tensorflow_tests.py framework --fresh     # again, also where there are results
    python tools/tensorflow_tests.py framework --failed    # again, the files in which a test did not pass
    python tools/tensorflow_tests.py framework --summary   # runs nothing: what the stored results say
    python tools/tensorflow_tests.py framework --groups    # runs nothing: failures grouped by message, most tests first
    python tools/tensorflow_tests.py --update              # runs nothing: write the list of what does not pass anew
    python tools/tensorflow_tests.py --summary --record    # runs nothing: keep the counts, for docs/compatibility.md
    python tools/tensorflow_tests.py --tensorflow PY       # files without a baseline, on a python with TensorFlow

The tests are not part of this project. The environment variable `TF_TESTS` names the folder that holds them, with their
runner `run.py` and `baseline.json`, the tests that pass on real TensorFlow; `../shared/tensorflow-tests` unless it is
set. That baseline has no entry for more than half of the files. `tools/data/tensorflow_tests_baseline.json.gz` has
theirs, recorded by `--tensorflow`. Only tests of the two count. An *area* is a folder of tests as the runner divides
them. A *test id* is `path::Class.method`, with the path below `tensorflow/python`.

Results are kept outside of the repository, in the folder `TF_RESULTS` (`~/.cache/reflow/tensorflow-tests` unless it is
set), one file an area. The runner adds each test file's results as soon as it is done, so an interrupted run continues
where it stopped.

`tools/data/tensorflow_tests_expected.txt` lists the ids that do not pass, one a line, `id  # reason`; `path::*` stands
for all tests of a file that fail for one reason. The exit status is 1 if a selected test fails and is not listed, or
passes and is listed. `--update` takes out what passes, and adds tests of files that had no result before; what passed
once and fails now it adds only with `--grow`.

`tools/data/tensorflow_tests_cpp_only.txt` lists tests of machinery in TensorFlow's C++ code that no Python program can
see, in the same form. They do not count; the table says how many they are.
"""

from __future__ import annotations

import argparse
import collections
import functools
import gzip
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import types
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import measured  # noqa: E402

#: what passes on TensorFlow in files of which the tests' own baseline says nothing: {path: names}
BASELINE_FILE = ROOT / "tools" / "data" / "tensorflow_tests_baseline.json.gz"
EXPECTED_FILE = ROOT / "tools" / "data" / "tensorflow_tests_expected.txt"
CPP_ONLY_FILE = ROOT / "tools" / "data" / "tensorflow_tests_cpp_only.txt"
TESTS = Path(os.environ.get("TF_TESTS") or ROOT.parent / "shared" / "tensorflow-tests")
RESULTS = Path(os.environ.get("TF_RESULTS") or Path.home() / ".cache" / "reflow" / "tensorflow-tests")
BELOW = "tensorflow/python/"
HEADER = """# Tests of TensorFlow that pass there and not here: `id  # reason`, written by \
`tools/tensorflow_tests.py --update`.
# `path::*` stands for all tests of a file. The list only shrinks: whoever mends a test removes its line.
"""


class Outcome(NamedTuple):
    """What one test did: "" as a reason if it passed."""

    test: str  # the id
    reason: str


@functools.cache
def runner() -> types.ModuleType:
    """The runner that comes with the tests, as a module."""
    spec = importlib.util.spec_from_file_location("tensorflow_tests_run", TESTS / "run.py")
    if spec is None or spec.loader is None or not (TESTS / "run.py").exists():
        raise SystemExit(f"No tests in {TESTS}: set TF_TESTS to the folder that holds run.py and baseline.json.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def baseline() -> dict[str, list[str]]:
    """The tests that pass on TensorFlow: {path below tensorflow/python: names}."""
    known = json.loads((TESTS / "baseline.json").read_text())
    given = {path.removeprefix(BELOW): row["passed"] for path, row in known.items()}
    more = json.loads(gzip.decompress(BASELINE_FILE.read_bytes())) if BASELINE_FILE.exists() else {}
    there = {path: names for path, names in more.items() if (TESTS / "src" / BELOW / path).exists()}
    return {path: names for path, names in sorted({**there, **given}.items()) if names}


def record_baseline(python: str, options: argparse.Namespace) -> None:
    """Run the files without a baseline on real TensorFlow, and keep the names of the tests that pass."""
    known = json.loads((TESTS / "baseline.json").read_text())
    left = [path for path in runner().files(TESTS / "src") if path not in known]
    RESULTS.mkdir(parents=True, exist_ok=True)
    results = RESULTS / "on-tensorflow.json"
    run_files(left, results, options, python, os.environ)
    found = {path.removeprefix(BELOW): sorted(n for n, (code, *_) in row["tests"].items() if code == "p")
             for path, row in json.loads(results.read_text()).items()}  # fmt: skip
    BASELINE_FILE.write_bytes(gzip.compress(json.dumps(dict(sorted(found.items()))).encode(), mtime=0))


def area_of(path: str) -> str:
    return runner().area(BELOW + path)


def test_files(selected: list[str]) -> list[str]:
    """The files of the selected areas, and the selected files; all of them if nothing is selected."""
    every = list(baseline())
    if not selected:
        return every
    chosen = [s.removeprefix(BELOW).rstrip("/") for s in selected]
    for s in chosen:
        if not any(s == path or f"{area_of(path)}/".startswith(f"{s}/") for path in every):
            raise SystemExit(f"No test file and no area {s!r}. Areas: {', '.join(sorted(set(map(area_of, every))))}")
    return [p for p in every if any(s == p or f"{area_of(p)}/".startswith(f"{s}/") for s in chosen)]


# --- running ----------------------------------------------------------------------------------------------------------


def result_file(area: str) -> Path:
    return RESULTS / f"{area.replace('/', '-')}.json"


def load(area: str) -> dict[str, dict]:
    """The runner's results of an area, by path below tensorflow/python."""
    file = result_file(area)
    return {p.removeprefix(BELOW): r for p, r in json.loads(file.read_text()).items()} if file.exists() else {}


def store(area: str, results: dict[str, dict]) -> None:
    file = result_file(area)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_text(json.dumps({BELOW + p: r for p, r in results.items()}))
    part.replace(file)


def by_area(files: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = collections.defaultdict(list)
    for path in files:
        found[area_of(path)].append(path)
    return found


def run_all(files: list[str], options: argparse.Namespace) -> None:
    """Run the files that have no result, or those that the options name, area by area."""
    environment = dict(
        os.environ,
        PYTHONPATH=os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
        JAX_PLATFORMS="cpu",
    )
    for area, paths in by_area(files).items():
        known = load(area)
        again = {
            p for p in paths if options.fresh or (options.failed and any(o.reason for o in outcomes(p, known.get(p))))
        }
        if again & known.keys():
            store(area, {p: r for p, r in known.items() if p not in again})
        if all(p in known and p not in again for p in paths):
            continue
        run_files(
            [BELOW + p for p in paths], result_file(area), options, sys.executable, environment, "--module", "reflow"
        )


def run_files(
    paths: list[str], results: Path, options: argparse.Namespace, python: str, environment: Mapping[str, str],
    *module: str,
) -> None:
    """Let the runner run files that have no result in `results` yet."""
    results.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as chosen:
        chosen.write("\n".join(paths))
        chosen.flush()
        command = [sys.executable, TESTS / "run.py", "run", "--python", python, *module]
        limits = ["--timeout", str(options.timeout), "--jobs", str(options.jobs)]
        subprocess.run([*command, *limits, "--files", chosen.name, "--out", results], env=environment, check=True)


# --- reporting --------------------------------------------------------------------------------------------------------


def outcomes(path: str, result: dict | None) -> list[Outcome]:
    """What the tests of a file that count did here; nothing if the file has not been run."""
    found = []
    for name in counted(path) if result is not None else []:
        absent = ["e", result.get("import", "the test was not collected"), ""]
        code, why, _ = result["tests"].get(name, absent)
        reason = "" if code == "p" else _reason(code, why)
        found.append(Outcome(f"{path}::{name}", reason))
    return found


def counted(path: str) -> list[str]:
    """The tests of a file that pass on TensorFlow, without those of C++ machinery."""
    return [name for name in baseline()[path] if f"{path}::{name}" not in cpp_only()]


@functools.cache
def cpp_only() -> dict[str, str]:
    """The tests of C++ machinery, and the reasons why they do not count."""
    return read_list(CPP_ONLY_FILE)


def _reason(code: str, why: str) -> str:
    """The kind of a failure and its message, numbers aside."""
    kind = runner().kind(code, why).split(" ", 1)[1]
    text = runner().normal("skipped: " + why if code == "s" else why).strip().replace("#", "N")
    return f"{kind}: {text or 'no message'}"


def stored(files: list[str]) -> dict[str, list[Outcome]]:
    """What is known of these files; those that have not been run are left out."""
    found = {}
    for area, paths in by_area(files).items():
        known = load(area)
        found.update({p: outcomes(p, known[p]) for p in paths if p in known})
    return found


def summary(files: list[str], known: dict[str, list[Outcome]]) -> str:
    """A table by area: how many of the tests that pass on TensorFlow pass here."""
    lines = [f"{'area':<28}{'passed':>8}{'of TF':>8}{'share':>9}{'files':>9}"]
    total: collections.Counter = collections.Counter()
    for area, row in counts(files, known).items():
        total.update(row)
        lines.append(_row(area, row, row["files"]))
    lines.append(_row("total", total, total["files"]))
    left_out = sum(test.split("::")[0] in known for test in cpp_only())
    if left_out:
        lines.append(f"{left_out} tests of TensorFlow's C++ machinery are not counted ({CPP_ONLY_FILE.name}).")
    return "\n".join(lines)


def counts(files: list[str], known: dict[str, list[Outcome]]) -> dict[str, dict[str, int]]:
    """By area: tests that pass, tests that should, files that were run, all files."""
    found = {}
    for area, paths in by_area(files).items():
        tests = [o for p in paths for o in known.get(p, [])]
        passed, run = sum(not o.reason for o in tests), sum(p in known for p in paths)
        found[area] = {"passed": passed, "all": len(tests), "run": run, "files": len(paths)}
    return found


def _row(label: str, row, files: int) -> str:
    share = f"{100 * row['passed'] / row['all']:.1f}%" if row["all"] else "-"
    counted = f"{row['run']}/{files}"
    return f"{label:<28}{row['passed']:>8}{row['all']:>8}{share:>9}{counted:>9}"


def groups(known: dict[str, list[Outcome]]) -> str:
    """Failures with the same reason: most tests first, with two of their ids."""
    found: dict[str, list[str]] = collections.defaultdict(list)
    for tests in known.values():
        for test, reason in tests:
            if reason:
                found[reason].append(test)
    rows = sorted(found.items(), key=lambda row: -len(row[1]))
    return "\n".join(f"{len(tests):5d}  {reason}\n       " + "\n       ".join(tests[:2]) for reason, tests in rows)


# --- the list of what does not pass -----------------------------------------------------------------------------------


def expected_failures() -> dict[str, str]:
    """The checked-in list of what does not pass: id, or `path::*`, and the reason."""
    return read_list(EXPECTED_FILE)


def read_list(file: Path) -> dict[str, str]:
    """A list of ids and reasons."""
    found = {}
    for number, line in enumerate(file.read_text().splitlines() if file.exists() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        test, _, reason = line.partition("  # ")
        if not reason.strip():
            raise SystemExit(f"{file.name}:{number}: no reason is given: {line!r} (expected `id  # reason`).")
        found[test.strip()] = reason.strip()
    return found


def is_expected(test: str, expected: dict[str, str]) -> bool:
    return test in expected or f"{test.split('::')[0]}::*" in expected


def differences(known: dict[str, list[Outcome]], expected: dict[str, str]) -> list[str]:
    """Where results and the list disagree, in both directions."""
    wrong = []
    for test, reason in (o for tests in known.values() for o in tests):
        if reason and not is_expected(test, expected):
            wrong.append(f"fails, and is not in the list: {test}  # {reason}")
        elif not reason and is_expected(test, expected):
            wrong.append(f"is in the list, and passes: {test}")
    return wrong


def updated(known: dict[str, list[Outcome]], expected: dict[str, str], grow: bool) -> dict[str, str]:
    """The list for these results. Files without a result keep their lines; a file without lines may get them once."""
    listed = {test.split("::")[0] for test in expected}
    new = {test: reason for test, reason in expected.items() if test.split("::")[0] not in known}
    for path, tests in known.items():
        bad = {
            test: expected.get(test, reason)
            for test, reason in tests
            if reason and (grow or path not in listed or is_expected(test, expected))
        }
        if len(bad) == len(tests) > 1 and len(set(bad.values())) == 1:
            bad = {f"{path}::*": next(iter(bad.values()))}
        new.update(bad)
    return dict(sorted(new.items()))


def write_expected(expected: dict[str, str]) -> None:
    EXPECTED_FILE.write_text(HEADER + "".join(f"{test}  # {reason}\n" for test, reason in expected.items()))


def arguments(given: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("selected", nargs="*", metavar="AREA_OR_FILE", help="all if none is given")
    parser.add_argument("--fresh", action="store_true", help="run files again that have results")
    parser.add_argument("--failed", action="store_true", help="run files again in which a test did not pass")
    parser.add_argument("--summary", action="store_true", help="run nothing")
    parser.add_argument("--groups", action="store_true", help="run nothing; failures grouped by message")
    parser.add_argument("--update", action="store_true", help="run nothing; write the list of what does not pass")
    parser.add_argument("--grow", action="store_true", help="with --update: also add what passed before")
    parser.add_argument(
        "--record", action="store_true",
        help="keep the counts of areas that were run as a whole, for docs/compatibility.md",
    )
    parser.add_argument(
        "--tensorflow", metavar="PYTHON", help="run files without a baseline on real TensorFlow, and keep what passes"
    )
    parser.add_argument("--jobs", type=int, default=1, help="files at a time")
    parser.add_argument("--timeout", type=int, default=150, help="seconds one file may take")
    return parser.parse_args(given)


def main(given: list[str] | None = None) -> int:
    options = arguments(given)
    if options.tensorflow:
        record_baseline(options.tensorflow, options)
        return 0
    files = test_files(options.selected)
    if not (options.summary or options.groups or options.update):
        run_all(files, options)
    known = stored(files)
    if options.groups:
        print(groups(known))
        return 0
    if options.update:
        write_expected(updated(known, expected_failures(), options.grow))
    print(summary(files, known))
    if options.record:
        whole = {area: row for area, row in counts(files, known).items() if row["run"] == row["files"]}
        measured.record("TensorFlow", {area: (row["passed"], row["all"]) for area, row in whole.items()})
    wrong = differences(known, expected_failures())
    for line in wrong[:50]:
        print(line)
    if len(wrong) > 50:
        print(f"… and {len(wrong) - 50} more")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
