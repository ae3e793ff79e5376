"""Structures of datasets: a list is a leaf."""

import pytest

from reflow.drop_in.python.data.util import nest


def test_lists_are_leaves():
    assert nest.flatten(([1, 2], {"b": 3, "a": 4})) == [[1, 2], 4, 3] and not nest.is_nested([1])
    assert nest.pack_sequence_as((0, (0,)), [1, [2]]) == (1, ([2],))
    assert nest.map_structure(lambda x, y: [x, y], (1, (2,)), (3, (4,))) == ([1, 3], ([2, 4],))
    assert nest.map_structure_up_to((0, 0), lambda x: x, ((1, 2), 3)) == ((1, 2), 3)


@pytest.mark.parametrize(
    ("a", "b", "error", "words"),
    [
        ((1, 2), (1,), ValueError, "(?s)same nested structure.*the same number of elements: 2 and 1"),
        ((1,), 1, ValueError, "(?s)same nested structure.*One of them is a sequence"),
        ({"a": 1}, {"b": 1}, ValueError, "don't have the same set of keys"),
        ((1,), {"a": 1}, TypeError, "second structure has type <class 'dict'>"),
    ],
)
def test_structures_that_differ(a, b, error, words):
    with pytest.raises(error, match=words):
        nest.assert_same_structure(a, b)
    with pytest.raises(ValueError, match="`structure` is a scalar"):
        nest.pack_sequence_as(0, [1, 2])
    with pytest.raises(ValueError, match="had 2 atoms, but argument `flat_sequence` had 1 items"):
        nest.pack_sequence_as((0, 0), [1])
