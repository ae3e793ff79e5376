"""Matrix products in ONNX."""

import pytest

import reflow as tf
from tests.onnx.round_trip import floats, operators, round_trip


def test_products():
    round_trip(
        lambda x, y: (tf.matmul(x, y), tf.matmul(x, x, transpose_a=True), tf.einsum("bij,bjk->bik", x, y)),
        floats(2, 3, 4),
        floats(2, 4, 5),
    )


def test_weights_are_turned_when_they_are_written():
    weights = tf.Variable(floats(5, 4))
    assert operators(round_trip(lambda x: tf.matmul(x, weights, transpose_b=True), floats(2, 4))) == ["MatMul"]


def test_complex_products_are_refused():
    with pytest.raises(tf.onnx.UnexportableOps, match="complex"):
        tf.onnx.export(
            lambda x: tf.math.real(tf.matmul(tf.complex(x, x), tf.complex(x, x))), specs=[tf.TensorSpec([2, 2])]
        )
