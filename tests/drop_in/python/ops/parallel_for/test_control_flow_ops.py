"""A function for each of a range of numbers."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.parallel_for import control_flow_ops


def test_at_once_and_in_turn():
    x = tf.constant([1.0, 2.0, 3.0])
    square = lambda i: tf.gather(x, i) ** 2
    assert control_flow_ops.pfor(square, 3).numpy().tolist() == [1.0, 4.0, 9.0]
    assert control_flow_ops.for_loop(square, tf.float32, 3).numpy().tolist() == [1.0, 4.0, 9.0]


@pytest.mark.parametrize(("number", "words"), [(0, "positive integer"), (1, "Use `for_loop` instead")])
def test_iterations_in_parallel_are_several(number, words):
    with pytest.raises(ValueError, match=words):
        control_flow_ops.pfor(lambda i: i, 3, parallel_iterations=number)
