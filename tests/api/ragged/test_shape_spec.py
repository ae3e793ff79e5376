import reflow as tf


def test_functions_are_traced_for_the_spec_of_a_shape():
    shape = tf.experimental.DynamicRaggedShape.from_lengths([2, (3, 1), 5])
    assert tf.function(lambda s: s[0] + s[2])(shape).numpy() == 7
    spec = shape._type_spec
    assert spec == tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 3), 5])._type_spec
    assert spec._to_tensor_shape() == [2, None, 5] and spec.rank == 3
    assert spec.with_dtype(tf.int32).dtype == tf.int32
