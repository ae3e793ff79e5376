"""Ops of older graphs that run a function several times (`reflow/ops/kernels/control/function_ops.py`)."""

import numpy as np
import pytest

import reflow as tf


def concrete(function, *specs):
    return tf.function(function).get_concrete_function(*specs)


def test_for_counts_up_and_down():
    body = concrete(lambda i, x: [10 * x + i], tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32))
    run = (
        lambda *bounds: tf.raw_ops.For(
            **dict(zip(("start", "limit", "delta"), bounds)), input=[0], body=body
        )[0].numpy()
    )
    assert (run(1, 7, 2), run(3, 0, -1), run(3, 3, 1)) == (135, 321, 0)
    for bounds in ((3, 0, 1), (0, 3, 0)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid start/limit/delta"):
            run(*bounds)


def test_map_defun_takes_rows():
    function = concrete(lambda x, c: (x * c, tf.reduce_sum(x)), tf.TensorSpec([2]), tf.TensorSpec([]))
    how = dict(output_types=[tf.float32, tf.float32], output_shapes=[[2], []], f=function)
    rows = np.arange(6, dtype=np.float32).reshape(3, 2)
    products, sums = tf.raw_ops.MapDefun(arguments=[rows], captured_inputs=[tf.constant(2.0)], **how)
    assert products.numpy().tolist() == (2 * rows).tolist() and sums.numpy().tolist() == [1.0, 5.0, 9.0]
    empty = tf.raw_ops.MapDefun(arguments=[rows[:0]], captured_inputs=[tf.constant(2.0)], **how)
    assert [t.shape.as_list() for t in empty] == [[0, 2], [0]]
