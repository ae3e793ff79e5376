"""Channels first and last."""

import reflow as tf
from reflow.onnx.exports.layouts import first, last, spatial
from reflow.onnx.writer import Model, Scope, Value


def test_numbers_of_space():
    assert spatial([1, 2, 3, 4], "NHWC") == [2, 3] and spatial((1, 4, 2, 3), "NCHW") == [2, 3]


def test_there_and_back_is_nothing():
    scope = Scope(Model())
    x = Value(tf.float32, (None, 5, 6, 3), "x")
    moved = first(scope, x, "NHWC")
    assert moved.dims == (None, 3, 5, 6) and last(scope, moved, "NHWC", 4) is x
    assert first(scope, x, "NCHW") is x
