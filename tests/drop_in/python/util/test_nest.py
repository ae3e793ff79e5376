"""Names of `tensorflow.python.util.nest` beyond `tf.nest`.

`tests/core/test_shallow_nest.py` has the family of `flatten_up_to`.
"""

import pytest

from reflow.drop_in.python.util import nest


def test_paths():
    structure = {"b": [1, (2,)], "a": 0}
    assert nest.flatten_with_tuple_paths(structure) == [(("a",), 0), (("b", 0), 1), (("b", 1, 0), 2)]
    assert nest.flatten_with_joined_string_paths(structure, "-") == [("a", 0), ("b-0", 1), ("b-1-0", 2)]
    assert nest.map_structure_with_paths(lambda p, x, y: f"{p}:{x + y}", [1, [2]], [3, [4]]) == ["0:4", ["1/0:6"]]


def test_dictionaries_of_structures():
    assert nest.flatten_dict_items({(1, (2,)): ("a", ("b",)), 3: "c"}) == {1: "a", 2: "b", 3: "c"}
    with pytest.raises(ValueError, match="Key had 2 elements, but value had 1 elements"):
        nest.flatten_dict_items({(1, 2): ("a",)})
    with pytest.raises(ValueError, match="not unique"):
        nest.flatten_dict_items({(1, 1): ("a", "b")})
    with pytest.raises(TypeError):
        nest.flatten_dict_items([1])
