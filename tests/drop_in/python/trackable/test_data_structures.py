"""Lists and mappings that only grow."""

import copy

import pytest

import reflow as tf
from reflow.drop_in.python.trackable import data_structures


def test_a_list():
    first, second = tf.Variable(1.0), tf.Module()
    found = data_structures.List([first])
    found.append(second)
    found += [first]
    assert (
        list(found) == [first, second, first] and found[1:] == [second, first] and found + [second] == [*found, second]
    )
    assert found._trackable_children() == {"0": first, "1": second, "2": first} and found == found  # noqa: PLR0124
    assert type(copy.copy(found)) is type(copy.deepcopy(found)) is type(found.copy()) is data_structures.List
    with pytest.raises(ValueError, match="Only trackable objects .* Got 3, which does not inherit from Trackable."):
        found.append(3)
    with pytest.raises(TypeError):
        found[0] = second
    assert isinstance(data_structures.ListWrapper([]), data_structures.List)


def test_a_mapping(tmp_path):
    variable = tf.Variable(1.0)
    found = data_structures.Mapping(x=variable)
    found["y"] = [tf.Variable(2.0)]
    assert sorted(found) == ["x", "y"] and found.trainable_variables[0].numpy() == 2.0 and len(found.variables) == 2
    path = tf.train.Checkpoint(root=found).save(str(tmp_path / "c"))
    variable.assign(5.0)
    tf.train.Checkpoint(root=found).restore(path)
    assert variable.numpy() == 1.0
    with pytest.raises(ValueError, match="Mappings are an append-only data structure. Tried to overwrite the key 'x'"):
        found["x"] = tf.Module()
    with pytest.raises(TypeError, match="Mapping accepts only string keys, but got a key 3."):
        found[3] = variable


def test_items_by_text():
    found: list = []
    data_structures.set_list_item(found, "1", "b")
    data_structures.set_tuple_item(found, "0", "a")
    data_structures.set_tuple_item(found, "field", "c")
    assert found == ["a", "b"]
