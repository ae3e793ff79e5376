"""The lists of TensorFlow's tests that do not pass, or do not count."""

from tools import tensorflow_tests as tool


def test_tests_of_cpp_machinery_do_not_count(monkeypatch):
    monkeypatch.setattr(tool, "baseline", lambda: {"a_test.py": ["T.one", "T.two", "T.three"]})
    monkeypatch.setattr(tool, "cpp_only", lambda: {"a_test.py::T.two": "pointers", "b_test.py::T.x": "pointers"})
    monkeypatch.setattr(tool, "area_of", lambda path: "a")
    known = {"a_test.py": tool.outcomes(
        "a_test.py", {"tests": {"T.one": ["p", "", ""], "T.two": ["f", "no", ""], "T.three": ["p", "", ""]}}
    )}
    assert [outcome.test for outcome in known["a_test.py"]] == ["a_test.py::T.one", "a_test.py::T.three"]
    table = tool.summary(["a_test.py"], known).splitlines()
    assert table[-2].split() == ["total", "2", "2", "100.0%", "1/1"]
    assert table[-1] == "1 tests of TensorFlow's C++ machinery are not counted (tensorflow_tests_cpp_only.txt)."


def test_no_test_is_in_both_lists():
    expected, left_out = tool.expected_failures(), tool.cpp_only()
    assert left_out and not [test for test in left_out if tool.is_expected(test, expected)]
    assert all("::" in test and not test.endswith("::*") for test in left_out)
