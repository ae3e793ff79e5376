"""`reflow/api/linalg/operators/batch.py`: batches that broadcast, slices of a batch."""

import numpy as np
import pytest

import reflow as tf
from reflow.api.linalg.operators import batch
from tests.api.linalg.operators.dense import close, matrix, numbers


def test_batches_broadcast():
    a, b = batch.same_batch([numbers(2, 1, 3, 3), numbers(4, 3, 1)])
    assert a.shape == (2, 4, 3, 3) and b.shape == (2, 4, 3, 1)
    left, right = matrix(2), numbers(3, 1)
    close(batch.solve(left, right), np.stack([np.linalg.solve(m, right) for m in left]))


def test_unknown_batches_broadcast():
    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
    def same(a, b):
        return batch.same_batch([a, b])

    assert [x.shape.as_list() for x in same(numbers(2, 1, 3, 3), numbers(4, 3, 1))] == [[2, 4, 3, 3], [2, 4, 3, 1]]


def test_slices_keep_what_is_broadcast():
    small, large = numbers(1, 3), numbers(4, 2, 3)
    operator = tf.linalg.LinearOperatorKronecker(
        [tf.linalg.LinearOperatorDiag(small), tf.linalg.LinearOperatorDiag(large)]
    )
    dense = operator.to_dense().numpy()
    close(operator[1:3].to_dense(), dense[1:3])
    close(operator[..., 1].to_dense(), dense[:, 1])
    close(operator[tf.constant(2), None].to_dense(), dense[2, None])
    with pytest.raises(ValueError, match="multiple"):
        operator[..., 0, ...]
