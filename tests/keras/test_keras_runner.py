"""The runner of Keras' own tests (`tools/keras_tests.py`).

The list of expected failures is checked in both directions.
"""

import importlib.util
import json
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = "losses/losses_test.py"


@pytest.fixture
def runner(tmp_path, monkeypatch):
    """The tool, with made-up results and a made-up list in a folder of their own."""
    spec = importlib.util.spec_from_file_location("keras_tests", ROOT / "tools" / "keras_tests.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "keras_tests", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(module, "EXPECTED_FILE", tmp_path / "expected.txt")
    return module


def _check(runner, capsys, outcomes, listed) -> tuple[int, list[str]]:
    """The exit status and the complaints of a run that had these outcomes, with these lines in the list."""
    results = {
        f"{FILE}::T::{name}" if name else FILE: {"outcome": o, "seconds": 0.1, "message": "boom"}
        for name, o in outcomes.items()
    }
    runner.store(FILE, results)
    runner.EXPECTED_FILE.write_text("# a comment\n" + "".join(f"{line}\n" for line in listed))
    status = runner.main([FILE, "--summary"])
    lines = capsys.readouterr().out.splitlines()
    return status, [line for line in lines if "in the list" in line]


@pytest.mark.parametrize(
    ("outcomes", "listed", "complaint"),
    [
        ({"a": "passed", "b": "skipped"}, [], None),
        ({"a": "failed"}, ["a"], None),
        ({"a": "error"}, ["a"], None),
        ({"": "error"}, [""], None),
        ({"a": "missing"}, [], None),
        ({"a": "missing"}, ["a"], None),
        ({"a": "failed", "b": "passed"}, [], "fails, and is not in the list: {a}  # boom"),
        ({"": "error"}, [], "fails, and is not in the list: {}  # boom"),
        ({"a": "passed"}, ["a"], "is in the list, and passed: {a}"),
        ({"a": "skipped"}, ["a"], "is in the list, and skipped: {a}"),
        ({"b": "passed"}, ["a"], "is in the list, and does not exist: {a}"),
    ],
)
def test_both_directions(runner, capsys, outcomes, listed, complaint):
    ids = {"a": f"{FILE}::T::a", "": FILE}
    lines = [f"{ids[name]}  # a reason" for name in listed]
    status, complaints = _check(runner, capsys, outcomes, lines)
    assert status == (1 if complaint else 0)
    assert complaints == ([complaint.replace("{a}", ids["a"]).replace("{}", FILE)] if complaint else [])


def test_other_files_of_the_list_are_not_asked_about(runner, capsys):
    assert _check(runner, capsys, {"a": "passed"}, ["metrics/metric_test.py::T::a  # not run"]) == (0, [])


def test_a_line_without_a_reason_is_refused(runner, capsys):
    with pytest.raises(SystemExit, match="expected.txt:2: no reason is given"):
        _check(runner, capsys, {"a": "failed"}, [f"{FILE}::T::a"])


def test_the_checked_in_list(runner, monkeypatch):
    """Every line has a reason and names a file of the wheel; none is there twice."""
    monkeypatch.setattr(runner, "EXPECTED_FILE", ROOT / "tools" / "data" / "keras_expected_failures.txt")
    expected = runner.expected_failures()
    assert {test.split("::")[0] for test in expected} <= set(runner.test_files([]))
    lines = [x for x in runner.EXPECTED_FILE.read_text().splitlines() if x.strip() and not x.startswith("#")]
    assert len(lines) == len(expected)


def test_a_package_of_the_extra_may_be_missing(runner, monkeypatch):
    monkeypatch.setattr(runner, "EXTRA", ("a_package_nobody_has", "numpy"))
    message = "ModuleNotFoundError: No module named '{}'"
    lacking = {"outcome": "failed", "message": message.format("a_package_nobody_has.part")}
    assert runner.missing_package(lacking) == "a_package_nobody_has"
    assert runner.missing_package({**lacking, "outcome": "passed"}) is None
    assert runner.missing_package({"outcome": "failed", "message": message.format("numpy")}) is None  # it is installed
    assert runner.missing_package({"outcome": "failed", "message": message.format("reflow.x")}) is None


def test_summary_counts_what_passes_on_tensorflow(runner, tmp_path, monkeypatch):
    """What fails there does not raise the share here, and folders that are not complete are left out."""
    path = tmp_path / "tensorflow.json"
    known = {"folders": {"losses": {"passed": 4}, "metrics": {"passed": 9}}, "not_passing": [f"{FILE}::T::new"]}
    path.write_text(json.dumps(known))
    monkeypatch.setattr(runner, "TENSORFLOW_FILE", path)
    files = runner.test_files(["losses", "metrics"])
    for file in runner.test_files(["losses"]):
        runner.store(file, {})
    result = {"outcome": "passed", "seconds": 0.1}
    runner.store(FILE, {f"{FILE}::T::{name}": result for name in ("a", "b", "c", "new")})
    text = runner.summary(files, runner.stored(files))
    assert [line.split()[:4] for line in text.splitlines() if line.startswith("losses")] == [["losses", "4", "3", "4"]]
    assert "the target's folders: 75.00% of 4 tests" in text
