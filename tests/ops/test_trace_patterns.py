"""What nodes are refused for by the patterns of their records, in TensorFlow's words; eager code is not asked."""

import numpy as np
import pytest

import reflow as tf


def placeholders(*shapes):
    return [tf.compat.v1.placeholder(dtype, shape) for dtype, shape in shapes]


@pytest.mark.parametrize(
    "indices, values, shape, words",
    [
        ([3, 2], [3], [2], None),
        (None, [3], [None], None),
        ([3], [3], [2], "Shape must be rank 2 but is rank 1"),
        ([3, 2], [4], [2], "Dimensions must be equal, but are 3 and 4"),
        ([3, 2], [3], [1], "Dimensions must be equal, but are 2 and 1"),
    ],
)
def test_axes_with_a_name_are_equally_long(indices, values, shape, words):
    with tf.Graph().as_default():
        parts = placeholders((tf.int64, indices), (tf.float32, values), (tf.int64, shape), (tf.float32, []))
        if words is None:
            tf.raw_ops.SparseFillEmptyRows(
                indices=parts[0], values=parts[1], dense_shape=parts[2], default_value=parts[3]
            )
            return
        with pytest.raises(ValueError, match=words):
            tf.raw_ops.SparseFillEmptyRows(
                indices=parts[0], values=parts[1], dense_shape=parts[2], default_value=parts[3]
            )


def test_a_size_is_fixed():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Dimension must be 2 but is 3"):
        images, size = placeholders((tf.float32, [1, 4, 4, 3]), (tf.int32, [3]))
        tf.raw_ops.ResizeBilinear(images=images, size=size)


def test_at_most_one_axis():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Shape must be at most rank 1 but is rank 2"):
        x, axis = placeholders((tf.float32, [2, 2]), (tf.int32, [1, 1]))
        tf.raw_ops.Sum(input=x, axis=axis)


def test_each_tensor_of_a_list():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Shape must be rank 1 but is rank 2"):
        splits = placeholders((tf.int64, [3]), (tf.int64, [3, 1]))
        values = tf.compat.v1.placeholder(tf.float32, [4])
        tf.raw_ops.RaggedTensorToSparse(rt_nested_splits=splits, rt_dense_values=values)


def test_a_vector_that_is_a_shape():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Shape must be rank 4 but is rank 3"):
        x, sizes, y = placeholders((tf.float32, [1, 4, 4, 1]), (tf.int32, [3]), (tf.float32, [1, 4, 4, 1]))
        tf.raw_ops.Conv2DBackpropFilter(
            input=x, filter_sizes=sizes, out_backprop=y, strides=[1, 1, 1, 1], padding="SAME"
        )


def test_eager_code_is_not_asked():
    found = tf.raw_ops.QuantizeDownAndShrinkRange(
        input=tf.bitcast(tf.constant([1, 2], tf.int32), tf.qint32),
        input_min=tf.constant(np.float32(-1)), input_max=tf.constant(np.float32(1)), out_type=tf.quint8,
    )
    assert found[0].shape == [2]


def test_a_slice_that_begins_behind_the_end_is_refused_in_a_graph():
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match="Negative dimension size caused by subtracting 2 from 1 for"),
    ):
        tf.slice(tf.zeros([1]), [2], [-1])
