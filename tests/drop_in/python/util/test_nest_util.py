"""Structures of two modalities: values recorded from TensorFlow 2.21."""

import collections

import pytest

import reflow as tf
from reflow.drop_in.python.util import nest_util

CORE, DATA = nest_util.Modality.CORE, nest_util.Modality.DATA
Pair = collections.namedtuple("Pair", "x y")


class NamedPair(Pair):
    pass


def test_lists_are_leaves_of_datasets():
    assert nest_util.is_nested(CORE, [1]) and not nest_util.is_nested(DATA, [1])
    assert nest_util.flatten(CORE, (1, [2, 3])) == [1, 2, 3]
    assert nest_util.flatten(DATA, (1, [2, 3])) == [1, [2, 3]]
    with pytest.raises(ValueError, match="Unknown modality used other for nested structure"):
        nest_util.is_nested("other", [1])


def test_children():
    assert list(nest_util.yield_value(CORE, {"b": 1, "a": 2})) == [2, 1]
    assert list(nest_util.yield_sorted_items(CORE, Pair(1, 2))) == [("x", 1), ("y", 2)]
    [components] = nest_util.yield_value(CORE, tf.SparseTensor([[0]], [1], [1]))
    assert len(components) == 3
    with pytest.raises(ValueError, match="Unknown modality"):
        nest_util.yield_sorted_items(DATA, Pair(1, 2))


@pytest.mark.parametrize("modality", [CORE, DATA])
def test_the_functions_of_nest(modality):
    nested = (1, (2, 3))
    assert nest_util.pack_sequence_as(modality, nested, [4, 5, 6], False) == (4, (5, 6))
    assert nest_util.map_structure(modality, lambda a, b: a + b, nested, (1, (2, 4))) == (2, (4, 7))
    assert nest_util.flatten_up_to(modality, (1, 2), (3, (4, 5))) == [3, (4, 5)]
    nest_util.assert_same_structure(modality, nested, nested)
    nest_util.assert_shallow_structure(modality, (1, 2), nested)
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        nest_util.assert_same_structure(modality, (1, 2), nested)
    with pytest.raises(ValueError, match="sequence length"):
        nest_util.assert_shallow_structure(modality, (1, 2), (3,))


def test_what_only_one_modality_has():
    as_lists = nest_util.pack_sequence_as(
        CORE, (1, (2, 3)), [4, 5, 6], False, sequence_fn=lambda like, children: list(children)
    )
    assert as_lists == [4, [5, 6]]
    assert list(nest_util.yield_flat_up_to(CORE, (1, 2), (3, (4, 5)))) == [((0,), 3), ((1,), (4, 5))]
    assert list(nest_util.yield_flat_up_to(DATA, (1, 2), (3, (4, 5)))) == [3, (4, 5)]
    assert nest_util.map_structure_up_to(CORE, (1, 2), lambda *parts: parts, (3, 4)) == (((0,), 3), ((1,), 4))
    assert nest_util.map_structure_up_to(DATA, (1, 2), lambda *parts: parts, (3, 4)) == ((3,), (4,))


def test_named_tuples():
    assert nest_util.is_namedtuple(Pair(1, 2), strict=True) and nest_util.is_namedtuple(NamedPair(1, 2))
    assert not nest_util.is_namedtuple(NamedPair(1, 2), strict=True) and not nest_util.is_namedtuple((1,))
    assert nest_util.sequence_like(Pair(1, 2), [3, 4]) == Pair(3, 4)
    assert nest_util.sequence_like({"b": 1, "a": 2}, [3, 4]) == {"b": 4, "a": 3}
