"""Structures down to the depth of another one, in TensorFlow's words."""

import pytest

import reflow as tf
from reflow.core import shallow_nest as nest


def test_parts_at_the_depth_of_another_structure():
    assert nest.flatten_up_to({"a": 0}, {"a": [1, 2], "b": 3}) == [[1, 2]]
    assert nest.flatten_with_tuple_paths_up_to([0, (0,)], [1, ([2, 3],)]) == [((0,), 1), ((1, 0), [2, 3])]
    assert nest.map_structure_up_to([0, [0]], lambda x, y: (x, y), [[1], [2]], [3, [[4]]]) == [([1], 3), [(2, [4])]]


@pytest.mark.parametrize(
    ("shallow", "structure", "error", "words"),
    [
        ([0, 0], [0], ValueError, "Input structure has length 1, while shallow structure has length 2."),
        (
            [0],
            (0,),
            TypeError,
            "Input structure has type <class 'tuple'>, while shallow structure has type <class 'list'>.",
        ),
        (
            [[0]],
            [0],
            TypeError,
            "If shallow structure is a sequence, input must also be a sequence. Input has type: <class 'int'>.",
        ),
        ({"a": 0, "c": 0}, {"a": 0, "b": 0}, ValueError, r"not in the input_tree: \['c'\]."),
    ],
)
def test_structures_that_do_not_fit(shallow, structure, error, words):
    with pytest.raises(error, match=words):
        nest.assert_shallow_structure(shallow, structure)


def test_a_function_says_how_deep_to_go():
    found = nest.get_traverse_shallow_structure(lambda x: not isinstance(x, tuple), [1, (2, 3), [4]])
    assert found == [True, False, [True]]
    with pytest.raises(TypeError, match="for non-structure: 1"):
        nest.get_traverse_shallow_structure(lambda x: [True], 1)


def test_composite_tensors_keep_what_is_no_component():
    rows = tf.RaggedTensor.from_row_splits(tf.constant([1, 2]), tf.constant([0, 2]))
    shallow = nest.get_traverse_shallow_structure(lambda x: True, [rows, 3], expand_composites=True)
    assert shallow[1] is True and shallow[0].values is True and isinstance(shallow[0], tf.RaggedTensor)
