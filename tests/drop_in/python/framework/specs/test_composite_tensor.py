"""The parts of composite tensors."""

import typing

import pytest

import reflow as tf
from reflow.drop_in.python.framework.specs.composite_tensor import replace_composites_with_components


def test_parts_in_place_of_the_whole():
    found = replace_composites_with_components({"a": tf.sparse.from_dense([0, 5]), "b": 3})
    assert found["b"] == 3 and [part.numpy().tolist() for part in found["a"]] == [[[1]], [5], [2]]


def test_the_first_difference_is_told():
    """Elements are compared before their number, as TensorFlow does."""
    first = (
        r'Substructure "type=tuple str=\(\(1, 2\), 3\)" is a sequence, while substructure "type=str str=spam" is not'
    )
    with pytest.raises(ValueError, match=first):
        tf.nest.assert_same_structure((((1, 2), 3), 4, (5, 6)), ("spam", "eggs"))
    with pytest.raises(ValueError, match="don't have the same number of elements"):
        tf.nest.assert_same_structure([1, 2], [1])


def test_specs_of_other_keys_have_nothing_in_common():
    class Pair(tf.experimental.ExtensionType):
        parts: typing.Mapping[str, tf.Tensor]

    x, y = tf.type_spec_from_value(Pair({"x": 1})), tf.type_spec_from_value(Pair({"y": 1}))
    with pytest.raises(ValueError, match="No TypeSpec is compatible with both"):
        x.most_specific_compatible_type(y)
    value = Pair({"x": 1})
    assert tf.__internal__.composite_tensor.convert_variables_to_tensors(value) is value
