"""Activations and normalisation in ONNX."""

import numpy as np
import pytest

import reflow as tf
from tests.onnx.round_trip import floats, round_trip


def test_softmax_and_bias():
    round_trip(
        lambda x: (tf.nn.softmax(x), tf.nn.log_softmax(x), tf.nn.softmax(x, 0), tf.nn.bias_add(x, [1.0, 2.0])),
        floats(3, 2),
    )
    round_trip(lambda x: tf.nn.bias_add(x, [1.0, 2.0], data_format="NCHW"), floats(1, 2, 3, 3))


def batch_norm(x, training):
    return tf.compat.v1.nn.fused_batch_norm(x, [1.0, 2.0], [0.1, 0.2], [0.1, 0.3], [1.0, 2.0], is_training=training)[0]


def test_normalisation():
    round_trip(lambda x: (batch_norm(x, False), tf.nn.local_response_normalization(x, 1)), floats(2, 3, 3, 2))
    with pytest.raises(tf.onnx.UnexportableOps, match="moments of the batch"):
        tf.onnx.export(
            lambda x: tf.compat.v1.nn.fused_batch_norm(x, [1.0], [0.0])[0], specs=[tf.TensorSpec([1, 2, 2, 1])]
        )


def test_losses_and_fake_quantisation():
    labels = np.array([1, 0], np.int32)
    round_trip(lambda x, y: tf.nn.sparse_softmax_cross_entropy_with_logits(y, x), floats(2, 3), labels)
    round_trip(
        lambda x: (
            tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(-x), x),
            tf.quantization.fake_quant_with_min_max_args(x),
        ),
        floats(2, 3),
    )
