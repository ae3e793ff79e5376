"""Errors in converted code show the user's lines, and keep their class."""

import traceback

import pytest

import reflow as tf
from tests.api.autograph import autograph_algorithms  # noqa: F401 - it registers programs


def fails(x):
    return tf.matmul(x, x) + 1.0


def calls_fails(x):
    if tf.reduce_sum(x) > 0.0:
        y = fails(x)
    else:
        y = x
    return y


def test_errors_show_the_users_lines():
    with pytest.raises(Exception) as caught:
        tf.function(calls_fails)(tf.ones([2, 3]))
    first = calls_fails.__code__.co_firstlineno
    lines = str(caught.value).splitlines()
    assert lines[2] == f'    File "{__file__}", line {first + 2}, in calls_fails  *'
    assert lines[3].strip() == "y = fails(x)"
    assert lines[4] == f'    File "{__file__}", line {fails.__code__.co_firstlineno + 1}, in fails  *'
    frames = [f for f in traceback.extract_tb(caught.value.__traceback__) if f.filename == __file__]
    assert [f.name for f in frames[-3:]] == ["calls_fails", "calls_fails", "fails"]


class OddError(Exception):
    def __init__(self, number, text):
        super().__init__(number, text)
        self.number = number


def test_errors_keep_their_class_and_attributes():
    @tf.function
    def f(x):
        if len(x.shape) == 1:
            raise OddError(7, "odd")
        return x

    with pytest.raises(OddError) as caught:
        f(tf.ones([2]))
    assert caught.value.number == 7 and "in user code:" in caught.value.__notes__[0]


def test_failed_assertion_at_run_time():
    @tf.function
    def f(x):
        assert x > 0, "x must be positive"
        return x

    assert int(f(tf.constant(1))) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="x must be positive"):
        f(tf.constant(-1))
