"""Elementwise functions in ONNX."""

import numpy as np
import pytest

import reflow as tf
from tests.onnx.round_trip import floats, operators, round_trip


def test_functions_of_one_operand():
    names = "erf log1p expm1 erfc rsqrt is_finite is_inf square asinh"
    round_trip(lambda x: [getattr(tf.math, n)(tf.abs(x) + 0.5) for n in names.split()], floats(2, 3))


def test_activations():
    round_trip(
        lambda x: [f(x) for f in (tf.nn.relu6, tf.nn.leaky_relu, tf.nn.elu, tf.nn.selu, tf.nn.gelu, tf.nn.silu)],
        floats(2, 3),
    )


def test_functions_of_two_operands():
    names = "pow divide_no_nan multiply_no_nan xlogy xdivy atan2 squared_difference not_equal"
    x = np.array([[0, 1, 2, 3]], np.float32)
    round_trip(
        lambda x, y: [getattr(tf.math, n)(x, y) for n in names.split()], x, np.array([[0.5, 0, 2, 1]], np.float32)
    )
    round_trip(tf.math.atan2, np.array([0, 1, -1, 2, -2], np.float32), np.array([0, 0, 0, -1, -1], np.float32))


def test_quotients_and_remainders_of_both_signs():
    names = "floordiv floormod"
    x, y = np.array([7, -7, 7, -7, 6], np.int32), np.array([3, 3, -3, -3, 3], np.int32)
    both = lambda x, y: (
        [getattr(tf.math, n)(x, y) for n in names.split()] + [tf.truncatediv(x, y), tf.truncatemod(x, y)]
    )  # noqa: E731
    round_trip(both, x, y)
    round_trip(both, x.astype(np.float32), y.astype(np.float32) + 0.5)


def test_choices_and_sums():
    rows = np.array([True, False])
    round_trip(
        lambda c, x: (tf.compat.v1.where(c, x, -x), tf.where(x > 0, x, 0.0), tf.clip_by_value(x, -0.5, 0.5)),
        rows,
        floats(2, 3),
    )
    proto = round_trip(lambda x: (tf.cumsum(x, 1, exclusive=True), tf.cumsum(x, 1, reverse=True)), floats(2, 3))
    assert operators(proto) == ["CumSum", "CumSum"]


def test_shifts_of_signed_integers_are_refused():
    with pytest.raises(tf.onnx.UnexportableOps, match="LeftShift: .*unsigned integers alone, and this is int32"):
        tf.onnx.export(lambda x: tf.bitwise.left_shift(x, 1), specs=[tf.TensorSpec([2], tf.int32)])
