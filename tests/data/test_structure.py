"""`reflow/data/structure.py`: what TensorFlow prints for the expressions of `structure.txt`."""

import numpy as np
import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_a_range_is_a_tensor():
    ds = tf.data.Dataset.from_tensor_slices(range(3))
    assert [int(x) for x in ds] == [0, 1, 2] and ds.element_spec == tf.TensorSpec([], tf.int32)


@pytest.mark.parametrize(
    "make", [tf.data.Dataset.from_tensor_slices, lambda x: tf.data.Dataset.from_tensors(x).unbatch()]
)
def test_values_of_composite_tensors(make):
    """Values as sessions give them are tensors in a structure, not structures."""
    sparse = tf.compat.v1.SparseTensorValue(np.array([[0, 0], [1, 1]]), np.array([3, 4]), np.array([2, 3]))
    ragged = tf.compat.v1.ragged.RaggedTensorValue(np.array([1, 2, 3]), np.array([0, 2, 3]))
    dataset = make((sparse, ragged, np.array([5.0, 6.0])))
    assert dataset.element_spec[0] == tf.SparseTensorSpec([3], tf.int64)
    found = [(tf.sparse.to_dense(s).numpy().tolist(), r.numpy().tolist(), float(x)) for s, r, x in dataset]
    assert found == [([3, 0, 0], [1, 2], 5.0), ([0, 4, 0], [3], 6.0)]
