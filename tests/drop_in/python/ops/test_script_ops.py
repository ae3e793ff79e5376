"""Functions that call Python, as decorators."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.script_ops import _check_args_and_maybe_make_decorator


def test_arguments_of_decorators_and_calls():
    seen = []

    def caller(func, inp, Tout, extra):
        seen.append((Tout, extra))
        return func(*inp)

    decorate = _check_args_and_maybe_make_decorator(caller, "caller", Tout=tf.int32, extra="more")
    assert decorate(lambda a, b: a + b)(1, 2) == 3
    assert seen == [(tf.int32, "more")]
    without_inputs, decorator = {"Tout": tf.int32, "func": len}, {"Tout": tf.int32, "inp": []}
    for wrong, words in (({"func": len}, "Missing.*Tout"), (without_inputs, "Missing.*inp"), (decorator, "Don't set")):
        for function in (tf.py_function, tf.numpy_function):
            with pytest.raises(TypeError, match=words):
                function(**wrong)
