"""`reflow/api/linalg/operators/blocks.py`: every method against the dense matrix, and what the constructor refuses."""

import pytest

import reflow as tf
from reflow.api.linalg.operators.blocks import is_blockwise
from reflow.core.shapes import Dimension
from tests.api.linalg.operators.dense import adjoint, close, matrix, numbers

OPERATOR = tf.linalg.LinearOperatorBlockDiag(
    [tf.linalg.LinearOperatorFullMatrix(matrix(size=2)), tf.linalg.LinearOperatorDiag(numbers(2, 3))]
)


def test_blocks_in_blocks_out():
    x = numbers(2, 5, 1)
    parts = [x[:, :2], x[:, 2:]]
    for method in (OPERATOR.matmul, OPERATOR.solve):
        whole, blocks = method(x), method(parts)
        close(tf.concat(blocks, -2), whole.numpy())
        close(tf.concat(method([adjoint(p) for p in parts], adjoint_arg=True), -2), whole.numpy())
    for method in (OPERATOR.matvec, OPERATOR.solvevec):
        whole, blocks = method(x[..., 0]), method([p[..., 0] for p in parts])
        close(tf.concat(blocks, -1), whole.numpy())


def test_what_is_a_list_of_blocks():
    two_three = [Dimension(2), Dimension(3)]
    assert is_blockwise(two_three, [tf.ones([2, 1]), tf.ones([3, 1])], -2)
    assert is_blockwise(two_three, [[[1.0], [1.0]], [[1.0], [1.0], [1.0]]], -2)
    assert not is_blockwise(two_three, tf.ones([5, 1]), -2)
    assert not is_blockwise(two_three, [[[1.0]] * 5] * 2, -2)
    with pytest.raises(ValueError, match="does not match operator dimension"):
        is_blockwise(two_three, [[[1.0]], [[1.0]]], -2)
    with pytest.raises(ValueError, match="ambiguous"):
        is_blockwise([Dimension(None)] * 2, [[[1.0]], [[1.0]]], -2)


def test_blocks_are_checked():
    with pytest.raises(ValueError, match="not compatible"):
        OPERATOR.matmul([tf.ones([3, 1]), tf.ones([2, 1])])
    with pytest.raises(TypeError, match="Expected argument to have dtype"):
        OPERATOR.matmul([tf.ones([2, 1], tf.float64), tf.ones([3, 1], tf.float64)])
