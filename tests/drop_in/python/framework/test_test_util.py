"""Decorators of tests."""

from reflow.drop_in.python.framework import test_util


def test_without_autotuning_a_function_is_itself():
    assert test_util.disable_cudnn_autotune(len) is len
