"""The tasks of a worker."""

import pytest

import reflow as tf
from reflow.core import errors
from reflow.data.engine import snapshot_files as files
from reflow.data.service.tasks import CachedTask, RoundTask, Task
from tests.data.engine.datasets import value_of


def numbers(count):
    return value_of(tf.data.Dataset.range(count)).iterate()


def answers(task, questions):
    """What the questions are answered: a number, or the only key of a message without an element."""
    found = [task.answer(q) for q in questions]
    return [int(files.decode_array(a[1][0])) if isinstance(a, tuple) else next(iter(a)) for a in found]


def test_the_same_turn_gets_the_same_element():
    asked = [("a", 0), ("b", 0), ("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    assert answers(Task(numbers(3)), [{"client": c, "turn": n} for c, n in asked]) == [0, 1, 0, 2, 1, "end"]


def test_consumers_of_a_round_get_its_elements_and_wait_for_the_slowest():
    task = RoundTask(numbers(100), consumers=2)
    asked = [(0, 0), (0, 0), (0, 2), (1, 0), (1, 2), *((0, r) for r in range(4, 36, 2)), (1, 4), (0, 34)]
    found = answers(task, [{"consumer": c, "round": r} for c, r in asked])
    assert found == [0, 0, 2, 1, 3, *range(4, 34, 2), "wait", 5, 34]
    for consumer, wanted, words in (
        (2, 40, "for only 2 consumers"), (0, 0, "already reached 34"), (0, 98, "came to the end")
    ):
        task.asked[1] = wanted
        task.iterator.skip(80 if wanted == 98 else 0)
        with pytest.raises(errors.FailedPreconditionError, match=words):
            task.answer({"consumer": consumer, "round": wanted})


def test_trainers_read_a_window():
    task = CachedTask(numbers(100), limit=3 * len(files.encode_array(numbers(1).__next__()[0])))
    # a trainer that the window has passed goes on at its oldest element
    asked = [("a", 5), ("b", 2), ("a", 2), ("b", 2), ("c", 1)]
    turns = iter(range(100))
    found = [
        answers(task, [{"client": t, "turn": next(turns), "trainer": t} for _ in range(count)]) for t, count in asked
    ]
    assert found == [[0, 1, 2, 3, 4], [2, 3], [5, 6], [4, 5], [4]]
