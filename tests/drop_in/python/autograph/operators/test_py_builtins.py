"""Builtin functions of converted code, called by their names."""

from reflow.api.autograph.conversion import FunctionScope
from reflow.drop_in.python.autograph.core import converter
from reflow.drop_in.python.autograph.operators import py_builtins


def test_each_builtin_has_its_overload():
    assert py_builtins.overload_of(len) is py_builtins.len_ and py_builtins.overload_of(dict) is dict
    assert py_builtins.BUILTIN_FUNCTIONS_MAP["range"] is py_builtins.range_ and sorted in py_builtins.SUPPORTED_BUILTINS


def test_names_are_found_in_the_frame_of_the_function():
    def generated(of_caller):
        found = py_builtins.eval_in_original_context(eval, ("wanted + 1",), of_caller)
        return found, py_builtins.locals_in_original_context(of_caller)["wanted"]

    wanted = 1
    with FunctionScope("f", "scope", options=converter.ConversionOptions()) as scope:
        assert generated(scope) == (2, wanted)


def test_next_with_and_without_a_default():
    assert py_builtins.next_py(iter([3])) == 3 and py_builtins.next_py(iter(()), 4) == 4
