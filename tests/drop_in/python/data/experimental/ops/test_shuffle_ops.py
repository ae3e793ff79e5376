"""Files read in a random order of all their elements."""

import pytest

import reflow as tf
from reflow.drop_in.python.data.experimental.ops import shuffle_ops

FILES = [
    {"path": "a", "num_elements": 5, "skip": 1, "take": 2},
    {"path": "b", "num_elements": 5, "skip": -1},
    {"path": "c", "num_elements": 5, "take": -1},
]


def test_elements_are_numbered_without_those_that_are_left_out():
    plan = shuffle_ops._process_file_infos(FILES)
    assert plan["files"] == ["a", "b", "c"] and plan["num_elements"] == 7
    places = [int(shuffle_ops._adjust_index(i, plan["thresholds"], plan["offsets"])) for i in range(7)]
    assert places == [1, 2, 10, 11, 12, 13, 14]
    assert "offsets" not in shuffle_ops._process_file_infos(FILES[2:])
    with pytest.raises(ValueError, match="`take` should be greater than `-1` but got -2"):
        shuffle_ops._process_file_infos([{"path": "a", "num_elements": 5, "take": -2}])


@pytest.mark.parametrize("fresh", [True, False])
def test_all_elements_come_in_a_random_order(fresh):
    dataset = shuffle_ops.index_shuffle(
        FILES, lambda files: tf.data.Dataset.range(15), seed=3, reshuffle_each_iteration=fresh
    )
    first, second = ([int(x) for x in dataset] for _ in range(2))
    assert sorted(first) == sorted(second) == [1, 2, 10, 11, 12, 13, 14] and (first == second) is not fresh
