"""The runner of TensorFlow's own tests (`tools/tensorflow_tests.py`).

Its list of what does not pass, on made-up tests and results.
"""

import importlib.util
import json
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = "eager/a_test.py"
RUN = """
def area(path): return path.split("/")[2]
def kind(code, why): return "iii behaviour"
def normal(why): return why
"""


@pytest.fixture
def runner(tmp_path, monkeypatch):
    """The tool, with a folder of tests, results and a list of its own."""
    spec = importlib.util.spec_from_file_location("tensorflow_tests", ROOT / "tools" / "tensorflow_tests.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "tensorflow_tests", module)
    spec.loader.exec_module(module)
    for name, path in (
        ("TESTS", tmp_path),
        ("RESULTS", tmp_path / "results"),
        ("EXPECTED_FILE", tmp_path / "expected.txt"),
        ("BASELINE_FILE", tmp_path / "baseline.json.gz"),
    ):
        monkeypatch.setattr(module, name, path)
    (tmp_path / "run.py").write_text(RUN)
    known = {f"tensorflow/python/{path}": {"passed": ["T.a", "T.b"]} for path in (FILE, "ops/b_test.py")}
    (tmp_path / "baseline.json").write_text(json.dumps(known))
    return module


def _run(runner, capsys, a, b, listed, *options):
    """Exit status and complaints of a run in which two tests had these outcomes, with these lines in the list."""
    runner.store(
        "eager", {FILE: {"tests": {"T.a": [a, "boom", ""], "T.b": [b, "boom", ""], "T.new": ["f", "boom", ""]}}}
    )
    runner.EXPECTED_FILE.write_text("# a comment\n" + "".join(f"{FILE}::{name}  # why\n" for name in listed))
    status = runner.main(["eager", *(options or ["--summary"])])
    return status, [line for line in capsys.readouterr().out.splitlines() if "in the list" in line]


@pytest.mark.parametrize(
    ("a", "b", "listed", "complaint"),
    [
        ("p", "p", [], None),
        ("f", "p", ["T.a"], None),
        ("e", "t", ["*"], None),
        ("f", "p", [], f"fails, and is not in the list: {FILE}::T.a  # behaviour: boom"),
        ("s", "p", [], f"fails, and is not in the list: {FILE}::T.a  # behaviour: skipped: boom"),
        ("p", "f", ["T.a", "T.b"], f"is in the list, and passes: {FILE}::T.a"),
        ("p", "f", ["*"], f"is in the list, and passes: {FILE}::T.a"),
    ],
)
def test_both_directions(runner, capsys, a, b, listed, complaint):
    assert _run(runner, capsys, a, b, listed) == (int(complaint is not None), [complaint] if complaint else [])


def test_an_update_shrinks_the_list(runner, capsys):
    assert _run(runner, capsys, "p", "f", ["T.a", "T.b"], "--update") == (0, [])
    assert runner.expected_failures() == {f"{FILE}::T.b": "why"}
    status, _ = _run(runner, capsys, "f", "f", ["T.b"], "--update")  # T.a passed before: a line by hand, or --grow
    assert status == 1
    assert runner.expected_failures() == {f"{FILE}::T.b": "why"}
    assert _run(runner, capsys, "f", "f", ["T.b"], "--update", "--grow") == (0, [])
    assert runner.expected_failures() == {f"{FILE}::T.a": "behaviour: boom", f"{FILE}::T.b": "why"}


def test_a_file_that_fails_as_a_whole_is_one_line(runner, capsys):
    assert _run(runner, capsys, "f", "f", [], "--update") == (0, [])
    assert runner.expected_failures() == {f"{FILE}::*": "behaviour: boom"}


def test_a_line_without_a_reason_is_refused(runner):
    runner.EXPECTED_FILE.write_text(f"{FILE}::T.a\n")
    with pytest.raises(SystemExit, match="expected.txt:1: no reason is given"):
        runner.expected_failures()


def test_an_unknown_area_is_refused(runner):
    with pytest.raises(SystemExit, match="No test file and no area 'nowhere'. Areas: eager, ops"):
        runner.test_files(["nowhere"])


def test_a_missing_folder_is_named(runner, monkeypatch, tmp_path):
    monkeypatch.setattr(runner, "TESTS", tmp_path / "nowhere")
    with pytest.raises(SystemExit, match="set TF_TESTS"):
        runner.runner()


def test_the_checked_in_list(runner, monkeypatch):
    """Every line has a reason, and none is there twice."""
    monkeypatch.setattr(runner, "EXPECTED_FILE", ROOT / "tools" / "data" / "tensorflow_tests_expected.txt")
    lines = [x for x in runner.EXPECTED_FILE.read_text().splitlines() if x.strip() and not x.startswith("#")]
    assert len(lines) == len(runner.expected_failures())


def test_files_without_a_baseline_get_one_from_tensorflow(runner, monkeypatch):
    other = "eager/b_test.py"
    folder = runner.TESTS / "src" / runner.BELOW / "eager"
    folder.mkdir(parents=True)
    (folder / "b_test.py").touch()
    monkeypatch.setattr(
        runner.runner(), "files", lambda src: [runner.BELOW + FILE, runner.BELOW + other], raising=False
    )
    given = []

    def run_files(paths, results, options, python, environment, *module):
        given.append((paths, python, module))
        results.write_text(json.dumps({runner.BELOW + other: {"tests": {"T.a": ["p", "", 0], "T.b": ["f", "why", 0]}}}))

    monkeypatch.setattr(runner, "run_files", run_files)
    assert runner.main(["--tensorflow", "tf-python"]) == 0
    assert given == [([runner.BELOW + other], "tf-python", ())]
    runner.baseline.cache_clear()
    assert runner.baseline()[other] == ["T.a"] and FILE in runner.baseline()
