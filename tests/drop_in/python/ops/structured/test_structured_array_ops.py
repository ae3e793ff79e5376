"""`tensorflow.python.ops.structured.structured_array_ops`."""

import reflow as tf
from reflow.drop_in.python.ops.structured import structured_array_ops


def test_arguments_of_both_versions():
    structures = tf.experimental.StructuredTensor.from_pyval([{"x": 1}, {"x": 2}])
    assert (
        structured_array_ops.size(structures, None, tf.int64).dtype
        == structured_array_ops.size_v2(structures, tf.int64).dtype == tf.int64
    )
    assert (
        structured_array_ops.shape(structures, None, tf.int64).dtype
        == structured_array_ops.shape_v2(structures, tf.int64).dtype == tf.int64
    )
    assert structured_array_ops.zeros_like_v2(structures).numpy().tolist() == [0.0, 0.0]
    assert structured_array_ops._structured_tensor_like(structures).to_pyval() == [{}, {}]
