"""The runner of libraries (`tools/circle.py`): its table and its list of what does not pass."""

import importlib.util
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def circle(tmp_path, monkeypatch):
    """The tool, with a folder and a list of its own, and one library that is no package."""
    spec = importlib.util.spec_from_file_location("circle", ROOT / "tools" / "circle.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "circle", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    monkeypatch.setattr(module, "EXPECTED_FILE", tmp_path / "expected.txt")
    monkeypatch.setattr(module, "TENSORFLOW_FILE", tmp_path / "tensorflow.json.gz")
    monkeypatch.setattr(module, "RESULTS_FILE", tmp_path / "results.json")
    monkeypatch.setattr(module, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(module, "LIBRARIES", (module.Library("hparams", "", "*_test.py"),))
    monkeypatch.setattr(sys, "argv", ["circle.py"])
    (tmp_path / "hparams").mkdir()
    (tmp_path / "hparams" / "requirements.txt").write_text("\n\n\n")
    (tmp_path / "hparams" / "a_test.py").write_text("")
    return module


def test_the_table_and_the_list(circle, monkeypatch, capsys, tmp_path):
    answers = {
        "start": (0, ""),
        "tests": (1, "PASSED x/a_test.py::good\nPASSED a_test.py::bad\nFAILED a_test.py::theirs - why\n"),
    }
    monkeypatch.setattr(
        circle, "run",
        lambda _, __, ___, program, *words, **options: answers["tests" if "run_tests" in program else "start"],
    )
    (tmp_path / "expected.txt").write_text("# a list\nhparams start  # not yet\n")
    monkeypatch.setattr(sys, "argv", ["circle.py", "--tensorflow", "/tf/python"])
    assert circle.main() == 0
    monkeypatch.setattr(sys, "argv", ["circle.py"])
    answers |= {
        "start": (1, "trace\nValueError: no\n"), "tests": (1, "PASSED a_test.py::good\nFAILED a_test.py::bad - why\n")
    }
    assert circle.main() == 1
    out = capsys.readouterr().out
    assert (
        "| hparams | with TensorBoard | ValueError: no | 1 / 2 (50.0%) |" in out
        and "hparams a_test.py::bad: why" in out
    )
    assert "theirs" not in out  # it fails on TensorFlow too
    (tmp_path / "expected.txt").write_text("hparams start  # not yet\nhparams a_test.py::bad  # why\n")
    assert circle.main() == 0
    answers["start"] = (0, "")
    assert circle.main() == 1 and "passes and is listed: hparams start" in capsys.readouterr().out
    (tmp_path / "page.md").write_text(f"before\n{circle.MARKS[0]}\nold\n{circle.MARKS[1]}\nafter\n")
    monkeypatch.setattr(sys, "argv", ["circle.py", "--page"])
    assert circle.main() == 0
    page = (tmp_path / "page.md").read_text()
    assert (
        "| hparams | with TensorBoard | works | 1 / 2 (50.0%) |" in page and "old" not in page
        and page.endswith("after\n")
    )


def test_a_test_of_which_a_part_fails_has_failed(circle):
    output = """PASSED a/b_test.py::T::whole
SUBFAILED[first part] a/b_test.py::T::parts - AssertionError: no
PASSED a/b_test.py::T::parts
PASSED a/b_test.py::T::test_layer_functionaddat0x7f19d59f5120
"""
    assert circle.outcomes("lib", output) == {
        "lib b_test.py::T::whole": "",
        "lib b_test.py::T::parts": "AssertionError: no",
        "lib b_test.py::T::test_layer_functionaddat0x": "",
    }


def test_each_library_has_a_quick_start():
    spec = importlib.util.spec_from_file_location("circle_names", ROOT / "tools" / "circle.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["circle_names"] = module
    spec.loader.exec_module(module)
    programs = {path.stem.removeprefix("start_") for path in (ROOT / "tools" / "circle_programs").glob("start_*.py")}
    assert programs == {library.name for library in module.LIBRARIES}
    assert all(module.listed().values()), "a line of the list gives no reason"
