"""Shapes, joins and gathers in ONNX."""

import numpy as np
import pytest

import reflow as tf
from tests.onnx.round_trip import floats, operators, round_trip


def test_shapes():
    round_trip(
        lambda x: (tf.shape(x), tf.size(x), tf.rank(x), tf.expand_dims(x, 1), tf.squeeze(x[:, :1], 1), tf.transpose(x)),
        floats(2, 3, 4),
    )
    round_trip(
        lambda x: (
            tf.tile(x, [2, 1]),
            tf.broadcast_to(x[:1], tf.shape(x)),
            tf.fill(tf.shape(x), 2),
            tf.range(tf.shape(x)[0]),
        ),
        floats(2, 3),
    )


def test_a_shape_with_one_open_length_is_a_constant():
    assert operators(round_trip(lambda x: tf.reshape(x, [tf.shape(x)[0], 12]), floats(2, 3, 4))) == ["Reshape"]


def test_joins():
    round_trip(
        lambda x: (
            tf.concat([x, x], -1),
            tf.stack([x, x], 1),
            *tf.unstack(x, axis=1),
            *tf.split(x, 2, 2),
            *tf.split(x, [1, -1], 1),
        ),
        floats(2, 3, 4),
    )


def test_gathers_and_scatters():
    i = np.array([1, 0], np.int32)
    round_trip(
        lambda x, i: (
            tf.gather(x, i),
            tf.gather(x, i, axis=1),
            tf.gather(x, i[:, None], batch_dims=1),
            tf.gather_nd(x, i[:, None]),
        ),
        floats(2, 3),
        i,
    )
    round_trip(
        lambda x, i: (tf.tensor_scatter_nd_add(x, i[:, None], x), tf.scatter_nd(i[:, None], x, [4, 3])), floats(2, 3), i
    )
    table = tf.Variable(floats(4, 3))
    round_trip(lambda i: tf.nn.embedding_lookup(table, i), i)


def test_one_hot_and_where():
    i = np.array([2, 0, -1, 7], np.int32)
    round_trip(
        lambda i: (
            tf.one_hot(i, 3),
            tf.one_hot(i, 3, 5, -5),
            tf.one_hot(i, 3, axis=0, dtype=tf.int64),
            tf.where(i > 0),
        ),
        i,
    )


def test_orders():
    round_trip(
        lambda x: (tf.reverse(x, [1]), tf.roll(x, 1, 1), tf.linalg.band_part(x, 1, 0), tf.linalg.band_part(x, -1, 1)),
        floats(2, 3, 4),
    )
    round_trip(lambda x: tf.unique(x)[1], np.array([3, 1, 3, 2], np.float32))
    round_trip(
        lambda x: tf.math.invert_permutation(x), np.array([2, 0, 1], np.int32), specs=[tf.TensorSpec([3], tf.int32)]
    )


def test_what_needs_a_known_length():
    with pytest.raises(tf.onnx.UnexportableOps, match="Roll: .* length of its axis is not known"):
        tf.onnx.export(lambda x: tf.roll(x, 1, 0), specs=[tf.TensorSpec([None])])
