"""Rows that are empty, rows that a mask chooses, and the names of functions that know ragged shapes."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.ragged import ragged_array_ops
from tests.drop_in.processes import check


def test_rows():
    ragged = tf.ragged.constant([[1, 2], [], [3]])
    filled, empty = ragged_array_ops.fill_empty_rows(ragged, 7)
    assert filled.to_list() == [[1, 2], [7], [3]] and empty.numpy().tolist() == [False, True, False]
    with pytest.raises(TypeError, match="must be RaggedTensor"):
        ragged_array_ops.fill_empty_rows([1], 7)
    assert ragged_array_ops.boolean_mask(data=ragged, mask=[True, False, True]).to_list() == [[1, 2], [3]]


def test_names_of_functions_that_know_ragged_tensors():
    out = check("""
        import tensorflow as tf
        from tensorflow.python.ops.ragged import dynamic_ragged_shape, ragged_array_ops, ragged_getitem
        from tensorflow.python.ops.ragged import ragged_math_ops, ragged_operators
        ragged = tf.ragged.constant([[1, 2], [3]])
        shape = ragged_array_ops.ragged_shape(ragged)
        fives = dynamic_ragged_shape.broadcast_to(5, shape)
        print(ragged_array_ops.ragged_reshape(tf.range(3), shape).to_list(), fives.to_list())
        print(ragged_array_ops.fill(shape, 4).to_list(), ragged_math_ops.tensor_equals(ragged, ragged).to_list())
        print(ragged_operators.ragged_abs(-ragged).to_list(), ragged_getitem.ragged_tensor_getitem(ragged, 0).numpy())
    """)
    assert out.splitlines() == [
        "[[0, 1], [2]] [[5, 5], [5]]", "[[4, 4], [4]] [[True, True], [True]]", "[[1, 2], [3]] [1 2]",
    ]  # fmt: skip
