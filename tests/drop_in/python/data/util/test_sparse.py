"""Sparse tensors of elements as variants."""

import reflow as tf
from reflow.drop_in.python.data.util import sparse


def test_sparse_components_travel_as_variants():
    element = {"a": tf.constant([1.0, 2.0]), "b": (tf.sparse.from_dense([[0, 7], [8, 0]]),)}
    classes = sparse.get_classes(element)
    assert classes == {"a": tf.Tensor, "b": (tf.SparseTensor,)}
    assert sparse.any_sparse(classes) and not sparse.any_sparse(tf.Tensor)
    types, shapes = {"a": tf.float32, "b": (tf.int32,)}, {"a": tf.TensorShape([2]), "b": (tf.TensorShape([2, 2]),)}
    assert sparse.as_dense_types(types, classes) == {"a": tf.float32, "b": (tf.variant,)}
    assert sparse.as_dense_shapes(shapes, classes)["b"][0].rank is None
    for serialize in (sparse.serialize_sparse_tensors, sparse.serialize_many_sparse_tensors):
        dense = serialize(element)
        assert dense["b"][0].dtype is tf.variant and dense["a"] is element["a"]
        back = sparse.deserialize_sparse_tensors(dense, types, shapes, classes)
        assert tf.sparse.to_dense(back["b"][0]).numpy().tolist() == [[0, 7], [8, 0]]
