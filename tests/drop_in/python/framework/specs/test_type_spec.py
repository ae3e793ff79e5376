"""Specs of a user's own: compared by what they say, and found by values of registered classes."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework.specs import type_spec


class Interval(type_spec.BatchableTypeSpec):
    """A spec of a library, which compares with the functions that TensorFlow's specs have."""

    __slots__ = ("_ends",)
    value_type = tuple

    def __init__(self, ends):
        self._ends = ends

    def _serialize(self):
        return (self._ends,)

    def is_compatible_with(self, other):
        return self._TypeSpec__is_compatible(self._serialize(), other._serialize())

    def key(self):
        return self._TypeSpec__make_cmp_key(self._serialize())


def test_specs_of_a_library():
    named = Interval({"low": tf.TensorSpec([None], name="a")})
    plain = Interval({"low": tf.TensorSpec([3])})
    assert named.is_compatible_with(plain) and not plain.is_compatible_with(Interval({"low": tf.TensorSpec([2])}))
    assert named.key() != plain.key() and hash(plain.key()) == hash(Interval({"low": tf.TensorSpec([3])}).key())
    assert named._without_tensor_names() == Interval({"low": tf.TensorSpec([None])})


def test_values_of_a_registered_class_have_a_spec():
    class Length:
        pass

    class Longer(Length):
        pass

    type_spec.register_type_spec_from_value_converter(Length, lambda value: tf.TensorSpec([]))
    assert tf.type_spec_from_value(Length()) == tf.TensorSpec([])
    assert type_spec.register is tf.__internal__.type_spec_registry.register
    try:
        tf.type_spec_from_value(Longer())
    except TypeError:
        pass
    else:
        raise AssertionError("a subclass was taken")


class Pair(tf.experimental.BatchableExtensionType):
    x: tf.Tensor
    y: tf.Tensor


def test_values_as_tensors_to_be_stacked():
    value = Pair([1.0], [2.0, 3.0])
    for one in (value, tf.ragged.constant([[1, 2], [3]])):
        spec = tf.type_spec_from_value(one)
        tensors = type_spec.batchable_to_tensor_list(spec, one)
        assert len(tensors) == len(type_spec.get_batchable_flat_tensor_specs(spec))
        assert tf.type_spec_from_value(type_spec.batchable_from_tensor_list(spec, tensors)).is_compatible_with(one)
    assert type_spec.get_batchable_flat_tensor_specs(tf.TensorSpec([2])) == [tf.TensorSpec([2])]


def test_a_field_that_cannot_be_batched():
    class Single(tf.experimental.ExtensionType):
        x: tf.Tensor

    value = Single([1.0])
    spec = tf.type_spec_from_value(value)
    with pytest.warns(UserWarning, match="contains non-batchable field or component"):
        assert len(type_spec.get_batchable_flat_tensor_specs(spec)) == 1
    (tensor,) = type_spec.batchable_to_tensor_list(spec, value)
    assert type_spec.batchable_from_tensor_list(spec, [tensor]).x.numpy().tolist() == [1.0]


def test_specs_encode_by_themselves():
    encoder = type_spec.LegacyTypeSpecBatchEncoder()
    assert (
        encoder.batch(tf.TensorSpec([2]), 3) == tf.TensorSpec([3, 2])
        and encoder.unbatch(tf.TensorSpec([3, 2])) == tf.TensorSpec([2])
    )
    with pytest.raises(ValueError, match="minimum_rank>1"):
        encoder.encode(tf.TensorSpec([2]), tf.ones([2]), 2)
