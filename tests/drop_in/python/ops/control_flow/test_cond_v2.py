"""Branches as nodes."""

import reflow as tf
from reflow.drop_in.python.ops.control_flow import cond_v2


def test_branches():
    x = tf.constant(3.0)
    assert cond_v2.cond_v2(x > 1.0, lambda: x * 2.0, lambda: x).numpy() == 6.0
    with tf.Graph().as_default() as graph:
        cond_v2.cond_v2(tf.compat.v1.placeholder(tf.bool, []), lambda: 1, lambda: 2)
        assert graph.get_operation_by_name("cond").type == "StatelessIf"


def test_one_of_several():
    chosen = [cond_v2.indexed_case(tf.constant(i), [lambda: 1, lambda: 7]) for i in (0, 1, 5)]
    assert [int(c) for c in chosen] == [1, 7, 7]
