"""Keras' own tests, from the installed wheel, on Reflow (`make keras-tests`).

    python tools/keras_tests.py                      # all files that have no result yet, then the summary
    python tools/keras_tests.py ops losses           # these folders
    python tools/keras_tests.py ops/nn_test.py       # this file
    python tools/keras_tests.py ops --fresh          # again, also where there are results
    python tools/keras_tests.py ops --failed         # again, only the tests that did not pass
    python tools/keras_tests.py ops --summary        # runs nothing: what the stored results say
    python tools/keras_tests.py ops --groups         # runs nothing: failures grouped by message, most tests first
    python tools/keras_tests.py --summary --record   # runs nothing: keep the counts, for docs/compatibility.md
    python tools/keras_tests.py --jobs 2 --shard 1/4

`make keras-tests` runs this with a Python of its own (`.keras-venv`) that has what some tests import beside Keras: the
extra `keras-tests` of pyproject.toml. Another Python may lack these packages; what needs them then is `missing`, not
`failed`.

A *test id* is `folder/file_test.py::Class::method`, below `keras/src`; a file that cannot be imported is the one
failing id `folder/file_test.py`. Each file runs in a process of its own with `-p reflow.pytest_plugin`; results go to
`.keras-tests/folder/file_test.json` as soon as the file is done, so an interrupted run continues where it stopped. A
test that crashes the process or runs longer than `--stall` seconds fails alone: the file starts again behind it.

`tools/data/keras_expected_failures.txt` lists the ids that do not pass, one a line, `id  # reason`. The exit status is
1 if a selected test fails and is not listed, or is listed and passes or no longer exists (`differences`).
`tools/data/keras_on_tensorflow.json` has real TensorFlow's counts by folder, and the ids that do not pass there: where
those pass here, they are not counted against TensorFlow's.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import measured  # noqa: E402

SUPPORT = ROOT / "tools" / "keras_support"
EXPECTED_FILE = ROOT / "tools" / "data" / "keras_expected_failures.txt"
TENSORFLOW_FILE = ROOT / "tools" / "data" / "keras_on_tensorflow.json"
RESULTS = ROOT / ".keras-tests"
BELOW = "keras/src/"  # where pytest's ids begin
BAD = ("failed", "error")
COLUMNS = ("passed", "counted", "tf", "failed", "missing", "skipped")  # of the table
#: modules of the extra `keras-tests`
EXTRA = ("torch", "grain", "pandas", "tree", "sklearn")
#: files of which a part runs, as an expression for pytest's -k. Three of 40 models: each has the same tests, and the
#: large ones take minutes. `test_application_base` downloads weights.
PARTS = {
    "applications/applications_test.py": "(MobileNetV3Small or MobileNetV2 or ResNet50_) and not test_application_base"
}
#: what the target of 97% counts
TARGET = ("activations", "applications", "callbacks", "dtype_policies", "initializers", "layers", "losses", "metrics")
TARGET += ("models", "ops", "optimizers", "random", "regularizers", "saving", "trainers", "utils")
Results = dict[str, dict[str, Any]]  # test id -> outcome, seconds, message


def keras_source() -> Path:
    """`keras/src` of the installed wheel, found without importing Keras."""
    spec = importlib.util.find_spec("keras")
    if spec is None or spec.origin is None:
        raise SystemExit("Keras is not installed: run `make venv`.")
    return Path(spec.origin).parent / "src"


def test_files(selected: list[str]) -> list[str]:
    """Test files below `keras/src`, those of the selected folders and files; all of them if none is selected."""
    source = keras_source()
    every = sorted(str(p.relative_to(source)) for p in source.rglob("*_test.py"))
    if not selected:
        return every
    for s in selected:
        if not any(f == s or f.startswith(s.rstrip("/") + "/") for f in every):
            raise SystemExit(f"No test file or folder {s!r} below {source}.")
    return [f for f in every if any(f == s or f.startswith(s.rstrip("/") + "/") for s in selected)]


def expected_failures() -> dict[str, str]:
    """The checked-in list: id -> reason."""
    expected = {}
    for number, line in enumerate(EXPECTED_FILE.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        test, _, reason = line.partition("  # ")
        if not reason.strip():
            raise SystemExit(f"{EXPECTED_FILE.name}:{number}: no reason is given: {line!r} (expected `id  # reason`).")
        expected[test.strip()] = reason.strip()
    return expected


# --- running ----------------------------------------------------------------------------------------------------------


def result_file(file: str) -> Path:
    return (RESULTS / file).with_suffix(".json")


def load(file: str) -> Results | None:
    path = result_file(file)
    return json.loads(path.read_text()) if path.exists() else None


def store(file: str, results: Results) -> None:
    path = result_file(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(results, indent=0, sort_keys=True))
    part.replace(path)


def run_file(file: str, stall: float, only: list[str] | None = None) -> Results:
    """Run one file, or these tests of it, to the end."""
    return run_files([file], stall, only)


def run_files(files: list[str], stall: float, only: list[str] | None = None) -> Results:
    """Run files in one process, to the end; a test that kills or stalls it fails and the rest goes on in another."""
    results: Results = {}
    while True:
        done, running = _run_process(files, stall, only, [t for t in results if "::" in t])
        results.update(done)
        if running is None:
            return results
        results[running] = {
            "outcome": "failed",
            "seconds": stall,
            "message": "the process crashed, or the test stalled",
        }
        if "::" not in running:  # before the first test: nothing to go on behind
            return results


def _run_process(files: list[str], stall: float, only: list[str] | None, skip: list[str]) -> tuple[Results, str | None]:
    """One pytest process: its results, and the id it was busy with when it died (None: it came to its end)."""
    site = keras_source().parent.parent
    with tempfile.TemporaryDirectory() as folder:
        events, output = Path(folder) / "events", Path(folder) / "output"
        events.touch()
        plugins = ("reflow.pytest_plugin", "conftest", "keras_results", "no:cacheprovider", "no:xdist")
        command = [sys.executable, "-m", "pytest", "-q", *[f"-p{plugin}" for plugin in plugins]]
        command += ["-c", os.devnull, "--rootdir", str(site)]
        command += ["--tb=native"]  # the other styles parse a test file of 12,000 lines once per failure: 0.25 s
        command += [f"-k{PARTS[file]}" for file in files if file in PARTS]
        arguments = Path(folder) / "arguments"  # in a file: thousands of ids do not fit a command line
        wanted = [t for t in only or () if "::" in t] or files
        arguments.write_text("\n".join([*[BELOW + t for t in wanted], *[f"--deselect={BELOW}{t}" for t in skip]]))
        environment = dict(
            os.environ,
            KERAS_BACKEND="tensorflow",
            KERAS_RESULTS=str(events),
            PYTHONHASHSEED="0",
            PYTHONPATH=os.pathsep.join([str(ROOT), str(SUPPORT)]),
            KERAS_HOME=os.path.join(folder, "home"),
            JAX_PLATFORMS="cpu",
            TMPDIR=folder,
        )
        with output.open("w") as log:
            process = subprocess.Popen(
                [*command, f"@{arguments}"],
                cwd=site,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            _children.add(process)
            _watch(process, events, stall)
            _children.discard(process)
        return _read_events(files[0], events, output)


_children: set[subprocess.Popen] = set()


def _stop():
    """No test process outlives the runner."""
    for child in list(_children):
        child.kill()
    os._exit(1)


def _watch(process: subprocess.Popen, events: Path, stall: float) -> None:
    """Wait for the process; end it if no test has begun or ended for `stall` seconds."""
    size, since = -1, time.monotonic()
    while True:
        try:
            process.wait(0.5)
            return
        except subprocess.TimeoutExpired:
            now = events.stat().st_size
            if now != size:
                size, since = now, time.monotonic()
            elif time.monotonic() - since > stall:
                process.kill()
                process.wait()
                return


def _read_events(file: str, events: Path, output: Path) -> tuple[Results, str | None]:
    """The results that a process wrote, and what it was busy with at the end: `file` if it never came to a test."""
    results: Results = {}
    running: str | None = file
    for line in events.read_text().splitlines():
        event = json.loads(line)
        if "start" in event:
            running = event["start"].removeprefix(BELOW)
        elif "end" in event:
            running = None
        else:
            results[event.pop("id").removeprefix(BELOW)] = event
    for result in results.values():
        package = missing_package(result)
        if package:
            result.update(outcome="missing", message=f"{package} is not installed")
    if running == file:
        results[file] = {"outcome": "error", "seconds": 0.0, "message": output.read_text()[-1500:]}
    return results, running


def missing_package(result: dict[str, Any]) -> str | None:
    """The package of the extra for whose absence a test failed."""
    if result["outcome"] not in BAD:
        return None
    text = result.get("message", "") + result.get("traceback", "")
    found = re.search(rf"No module named '({'|'.join(EXTRA)})[.']", text)
    return found[1] if found and importlib.util.find_spec(found[1]) is None else None


def run_all(files: list[str], options: argparse.Namespace) -> None:
    """Run what the options ask for, and store the results file by file."""
    work: list[tuple[str, list[str] | None]] = []
    for file in files:
        known = load(file)
        if known is None or options.fresh:
            work.append((file, None))
        elif options.failed:
            bad = [t for t, r in known.items() if r["outcome"] in BAD]
            if bad:
                work.append((file, None if file in bad else bad))

    def one(file, only):
        results = run_file(file, options.stall, only)
        if only:
            results = {**(load(file) or {}), **results}
        store(file, results)
        return file, results

    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, done in enumerate(concurrent.futures.as_completed([pool.submit(one, *w) for w in work]), 1):
            file, results = done.result()
            outcomes = collections.Counter(r["outcome"] for r in results.values())
            print(
                f"{time.monotonic() - began:5.0f}s {number}/{len(work)} {file}: "
                + ", ".join(f"{n} {o}" for o, n in sorted(outcomes.items())),
                flush=True,
            )


# --- reporting --------------------------------------------------------------------------------------------------------


def stored(files: list[str]) -> Results:
    """All stored results of these files."""
    return {test: result for file in files for test, result in (load(file) or {}).items()}


def by_folder(files: list[str], results: Results) -> dict[str, dict[str, int]]:
    """For each folder: passed here, how many of these count against TensorFlow's, and the rest.

    `have` of `every` file have a result.
    """
    tensorflow = json.loads(TENSORFLOW_FILE.read_text())
    fails_there = set(tensorflow["not_passing"])
    counts: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    for test, result in results.items():
        folder, file = test.split("/", 1)[0], test.split("::", 1)[0]
        counts[folder][result["outcome"]] += 1
        counts[folder]["counted"] += result["outcome"] == "passed" and not {test, file} & fails_there
    rows = {}
    for folder in sorted({f.split("/", 1)[0] for f in files}):
        every, count = test_files([folder]), counts[folder]
        row = {c: count[c] for c in COLUMNS}
        row["failed"] = sum(count[b] for b in BAD)
        have = [f for f in every if f in files and result_file(f).exists()]
        row["tf"] = tensorflow["folders"].get(folder, {}).get("passed", 0) if have == every else 0
        # nothing to compare if it was not run there or is not yet whole here; and what is skipped there does not count
        row["counted"] = min(row["counted"], row["tf"])
        rows[folder] = row | {"have": len(have), "every": len(every)}
    return rows


def summary(files: list[str], results: Results) -> str:
    """The table by folder."""
    lines = [f"{'folder':<16}" + "".join(f"{c:>10}" for c in ("passed", "counted", "of TF's", *COLUMNS[3:], "files"))]
    total: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    for folder, row in by_folder(files, results).items():
        total["all"].update(row)
        total["target" if folder in TARGET else "other"].update(row)
        lines.append(_row(folder, row) + "{have}/{every}".format(**row).rjust(10))
    lines.append(_row("total", total["all"]))
    for what, label in (("all", "all folders"), ("target", "the target's folders")):
        if total[what]["tf"]:
            share = 100 * total[what]["counted"] / total[what]["tf"]
            lines.append(f"{label}: {share:.2f}% of {total[what]['tf']} tests that pass on TensorFlow")
    newest = max(p.stat().st_mtime for p in (ROOT / "reflow").rglob("*.py"))
    old = [f for f in files if result_file(f).exists() and result_file(f).stat().st_mtime < newest]
    if old:
        lines.append(f"{len(old)} of the results are older than the code (--fresh runs them again)")
    if total["all"]["missing"]:
        lines.append(f"{total['all']['missing']} need packages that are not here: `make keras-tests` installs them")
    return "\n".join(lines)


def _row(label: str, row) -> str:
    return f"{label:<16}" + "".join(f"{row[c]:>10}" for c in COLUMNS)


def differences(files: list[str], results: Results, expected: dict[str, str]) -> list[str]:
    """Where the results of these files and the list of expected failures disagree, in both directions."""
    wrong = [
        f"fails, and is not in the list: {t}  # {first_line(r)}"
        for t, r in sorted(results.items())
        if r["outcome"] in BAD and t not in expected
    ]
    for test in expected:
        file = test.split("::", 1)[0]
        if file in files:
            outcome = results[test]["outcome"] if test in results else "does not exist"
            whole = results.get(file, {}).get("outcome")  # set if the file could not be imported
            if outcome not in (*BAD, "missing") and whole not in (*BAD, "missing"):
                wrong.append(f"is in the list, and {outcome}: {test}")
    return wrong


def first_line(result: dict[str, Any]) -> str:
    lines = [line for line in result.get("message", "").splitlines() if line.strip()]
    return lines[0][:200] if lines else result["outcome"]


def groups(results: Results) -> str:
    """Failures with the same message, numbers aside: most tests first, with two of their ids."""
    found: dict[str, list[str]] = collections.defaultdict(list)
    for test, result in results.items():
        if result["outcome"] in BAD:
            found[re.sub(r"0x[0-9a-f]+|\d+", "#", first_line(result))].append(test)
    return "\n".join(
        f"{len(tests):5d}  {message}\n         " + "\n         ".join(tests[:2])
        for message, tests in sorted(found.items(), key=lambda kv: -len(kv[1]))
    )


def arguments(given: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("selected", nargs="*", metavar="FOLDER_OR_FILE", help="below keras/src; all if none is given")
    parser.add_argument("--fresh", action="store_true", help="run files again that have results")
    parser.add_argument("--failed", action="store_true", help="run the tests again that did not pass")
    parser.add_argument("--summary", action="store_true", help="run nothing")
    parser.add_argument("--groups", action="store_true", help="run nothing; failures grouped by message")
    parser.add_argument(
        "--record", action="store_true",
        help="keep the counts of folders that were run as a whole, for docs/compatibility.md",
    )
    parser.add_argument("--jobs", type=int, default=1, help="files at a time")
    parser.add_argument("--shard", default="1/1", help="K/N: every N-th of the files, beginning with the K-th")
    parser.add_argument("--stall", type=float, default=300, help="seconds one test may take")
    return parser.parse_args(given)


def main(given: list[str] | None = None) -> int:
    options = arguments(given)
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, lambda *_: _stop())
    k, n = map(int, options.shard.split("/"))
    files = test_files(options.selected)[k - 1 :: n]
    if not (options.summary or options.groups):
        run_all(files, options)
    results = stored(files)
    if options.groups:
        print(groups(results))
        return 0
    print(summary(files, results))
    if options.record:
        measured.record(
            "Keras", {folder: (row["counted"], row["tf"]) for folder, row in by_folder(files, results).items()}
        )
    wrong = differences([f for f in files if result_file(f).exists()], results, expected_failures())
    for line in wrong[:50]:
        print(line)
    if len(wrong) > 50:
        print(f"… and {len(wrong) - 50} more")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
