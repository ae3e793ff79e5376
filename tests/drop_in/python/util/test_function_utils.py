"""What is known about functions and callable objects."""

import functools

import pytest

from reflow.drop_in.python.util import function_utils


class Adder:
    def __call__(self, x, y=1, **rest):
        return x + y


def test_arguments():
    assert function_utils.fn_args(lambda a, b, *c: a) == ("a", "b")
    assert function_utils.fn_args(Adder()) == ("x", "y")
    assert function_utils.fn_args(functools.partial(lambda a, b, c: a, 1, c=2)) == ("b",)
    assert function_utils.has_kwargs(Adder()) and not function_utils.has_kwargs(lambda a: a)


def test_names_and_code():
    assert function_utils.get_func_name(Adder().__call__) == "Adder.__call__"
    assert function_utils.get_func_code(Adder()) is Adder.__call__.__code__
    with pytest.raises(ValueError, match="must be a callable"):
        function_utils.get_func_name(3)
    with pytest.raises(TypeError, match="should be a callable"):
        function_utils.has_kwargs(3)


def test_the_config_without_optimizers():
    assert function_utils.get_disabled_rewriter_config() == b"R\x05R\x03\x98\x01\x01"
