"""The tasks of a worker."""

import reflow as tf
from reflow.data.engine import snapshot_files as files
from reflow.data.service.tasks import Task
from tests.data.engine.datasets import value_of


def number(answer):
    return "end" if answer == {"end": True} else int(files.decode_array(answer[1][0]))


def test_the_same_turn_gets_the_same_element():
    task = Task(value_of(tf.data.Dataset.range(3)).iterate())
    asked = [("a", 0), ("b", 0), ("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    assert [number(task.answer(*turn)) for turn in asked] == [0, 1, 0, 2, 1, "end"]
