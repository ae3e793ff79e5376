"""Loops as nodes."""

import reflow as tf
from reflow.drop_in.python.ops.control_flow.while_v2 import while_loop


def test_structures_of_results():
    @tf.function
    def f(x):
        step = lambda v: v * v
        bare = while_loop(lambda v: v < 8.0, step, [x], return_same_structure=False)
        listed = while_loop(lambda v: v < 8.0, step, [x])
        both = while_loop(lambda i, v: v < 8.0, lambda i, v: (i + 1, v * v), (0, x), maximum_iterations=1)
        return bare, listed, both

    bare, listed, both = f(tf.constant(2.0))
    assert (bare.numpy(), [t.numpy() for t in listed], [t.numpy() for t in both]) == (16.0, [16.0], [1, 4.0])
