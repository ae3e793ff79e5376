"""Branches and loops in ONNX."""

import numpy as np

import reflow as tf
from tests.onnx.round_trip import floats, operators, round_trip


def test_a_branch():
    scale = tf.Variable(3.0)
    function = lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: x * scale, lambda: x - 1.0)  # noqa: E731
    assert operators(round_trip(function, np.float32([1, 2])))[-1] == "If"
    round_trip(function, np.float32([-1, -2]))


def test_a_case():
    function = lambda i: tf.switch_case(i, [lambda: 10 * i, lambda: i + 1, lambda: i])  # noqa: E731
    for i in (0, 1, 2, 7):
        round_trip(function, np.int32(i))


def test_a_loop_carries_what_changes():
    factor = tf.Variable([1.5])

    def function(x):
        return tf.while_loop(
            lambda i, y: (i < 9) & (tf.reduce_sum(y) < 50.0), lambda i, y: (i + 1, y * factor + 1.0), [0, x]
        )

    proto = round_trip(function, np.float32([1, 2]))
    (loop,) = [n for n in proto.graph.node if n.op_type == "Loop"]
    assert len(loop.input) == 4  # limit, condition, counter, y: the variable is a weight outside


def filled(count, index):
    """A loop that fills an array of rows, at `index` of its counter."""

    def function(x):
        array = tf.TensorArray(tf.float32, tf.shape(x)[0])
        return tf.while_loop(lambda i, a: i < count, lambda i, a: (i + 1, a.write(index(i), x[i] * 2.0)), [0, array])[
            1
        ].stack()

    return function


def test_a_list_that_is_filled_in_order_is_stacked_by_the_loop():
    proto = round_trip(filled(3, lambda i: i), floats(3, 2))
    (loop,) = [n for n in proto.graph.node if n.op_type == "Loop"]
    assert len(loop.input) == 3 and len(loop.output) == 2  # the counter is carried, the rows are a scan output
    round_trip(filled(2, lambda i: i), floats(3, 2))  # the last row stays zero
    round_trip(filled(3, lambda i: 2 - i), floats(3, 2))  # not in order: the list is carried


def test_loops_within_loops():
    def row(r):
        return tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + r), [0, tf.zeros_like(r)])[1]

    round_trip(lambda x: tf.map_fn(row, x), floats(2, 3))
