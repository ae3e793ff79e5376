"""Reductions in ONNX."""

import numpy as np

import reflow as tf
from tests.onnx.round_trip import floats, round_trip


def test_reductions():
    names = "reduce_sum reduce_mean reduce_prod reduce_max reduce_min reduce_euclidean_norm"
    round_trip(lambda x: [getattr(tf.math, n)(x, [0, -1], keepdims=True) for n in names.split()], floats(2, 3, 4))
    round_trip(
        lambda x: (
            tf.reduce_sum(x),
            tf.reduce_sum(x, []),
            tf.reduce_all(x > 0, 1),
            tf.reduce_any(x > 0),
            tf.nn.l2_loss(x),
        ),
        floats(2, 3),
    )


def test_places_of_extremes():
    round_trip(lambda x: (tf.argmax(x, 1), tf.argmin(x, 0, output_type=tf.int32), *tf.math.top_k(x, 2)), floats(3, 4))
    round_trip(lambda x, t: tf.math.in_top_k(t, x, 2), floats(3, 4), np.array([0, 1, 2], np.int32))
