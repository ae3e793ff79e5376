"""Specs of a user's own: compared by what they say, and found by values of registered classes."""

import reflow as tf
from reflow.drop_in.python.framework import type_spec


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
