"""Slices and padding in ONNX."""

import numpy as np

import reflow as tf
from tests.onnx.round_trip import floats, round_trip


def test_subscripts():
    round_trip(
        lambda x: (
            x[:, 1:3],
            x[0],
            x[..., ::-1],
            x[:, None, -1],
            x[1:, ..., 0],
            x[-1, ::2],
            x[tf.newaxis],
            x[:, 2:0:-1],
        ),
        floats(3, 4, 2),
    )


def test_subscripts_that_are_computed():
    round_trip(
        lambda x, i: (x[i], x[:, i:], x[: tf.shape(x)[0] - 1], tf.slice(x, [i, 0], [1, -1])), floats(3, 4), np.int32(1)
    )


def test_padding():
    amounts = [[0, 0], [1, 2]]
    round_trip(
        lambda x: (
            [tf.pad(x, amounts, mode) for mode in ("CONSTANT", "REFLECT", "SYMMETRIC")]
            + [tf.pad(x, amounts, constant_values=3.0)]
        ),
        floats(2, 4),
    )


def test_blocks():
    round_trip(lambda x: tf.space_to_batch(x, [2, 2], [[0, 0], [1, 1]]), floats(2, 4, 4, 1))
    round_trip(lambda x: tf.batch_to_space(x, [2, 2], [[0, 1], [1, 0]]), floats(8, 2, 2, 1))
