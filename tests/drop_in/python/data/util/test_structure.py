"""Elements of datasets as lists of tensors."""

import reflow as tf
from reflow.drop_in.python.data.util import structure


def test_there_and_back():
    element = {"a": tf.constant([1, 2]), "r": tf.ragged.constant([[1], []])}
    spec = structure.type_spec_from_value(element)
    tensors = structure.to_tensor_list(spec, element)
    back = structure.from_tensor_list(spec, tensors)
    assert back["a"].numpy().tolist() == [1, 2] and back["r"].to_list() == [[1], []]
    assert structure.get_flat_tensor_types(spec)[0] is tf.int32 and structure.get_flat_tensor_shapes(spec)[0] == [2]


def test_compatible_specs():
    assert structure.are_compatible(tf.TensorSpec([None]), tf.TensorSpec([3]))
    assert not structure.are_compatible(tf.TensorSpec([2]), (tf.TensorSpec([2]),))
