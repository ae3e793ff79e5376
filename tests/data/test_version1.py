"""Names of `tf.compat.v1.data`."""

import reflow as tf

v1 = tf.compat.v1.data


def test_structures_of_an_element():
    ds = tf.data.Dataset.from_tensors({"a": tf.sparse.from_dense([0, 1]), "b": (tf.ragged.constant([[1]]), 2.0)})
    assert v1.get_output_types(ds) == {"a": tf.int32, "b": (tf.int32, tf.float32)}
    assert v1.get_output_shapes(ds)["b"] == (tf.TensorShape([1, None]), tf.TensorShape([]))
    assert v1.get_output_classes(iter(ds)) == {"a": tf.SparseTensor, "b": (tf.RaggedTensor, tf.Tensor)}


def test_map_and_batch():
    both = v1.experimental.map_and_batch_with_legacy_function(lambda x: x + 1, 2)
    assert [b.numpy().tolist() for b in tf.data.Dataset.range(3).apply(both)] == [[1, 2], [3]]
