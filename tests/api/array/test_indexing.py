"""`reflow/api/array/indexing.py`: what TensorFlow prints for the expressions of `indexing.txt`;
and arrays of indices, which it refuses."""

import numpy as np
import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


@pytest.mark.parametrize("traced", [False, True])
def test_arrays_of_indices_choose_as_in_numpy(traced):
    array = np.arange(24).reshape(2, 3, 4)
    every = slice(None)
    keys = [
        np.array([1, 0]), (1, [2, 0]), ([1, 0], [2, -1]), (every, [0, 2], slice(1, 3)), (..., [3, 0]),
        ([[0], [1]], every, [1, 2]), (every, np.array([True, False, True])), (0, [1, 1], None),
    ]  # fmt: skip

    def chosen(x):
        return [x[key] for key in keys]

    found = (tf.function(chosen) if traced else chosen)(tf.constant(array))
    assert [tensor.numpy().tolist() for tensor in found] == [array[key].tolist() for key in keys]
    assert tf.constant(array)[tf.constant([1])].shape == (1, 3, 4)


def test_items_of_variables_are_assigned():
    variable, array = tf.Variable(tf.zeros([3, 4])), np.zeros([3, 4], np.float32)

    @tf.function
    def traced(v):
        v[2, 1:] = tf.range(3.0)
        v[v > 1.5] = -1.0

    for key, value in [(0, 1.0), ((slice(1, None), 2), [5.0, 6.0]), (([0, 1], [3, 3]), 7.0)]:
        variable[key], array[key] = value, value
    assert variable.numpy().tolist() == array.tolist()
    traced(variable)
    array[2, 1:] = range(3)
    array[array > 1.5] = -1
    assert variable.numpy().tolist() == array.tolist()
    with pytest.raises(tf.errors.InvalidArgumentError):
        variable[0] = [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("batch_dims", "message"), [(-1, "negative batch_dims"), (2, r"less than rank\(`indices`\) = 2")]
)
def test_batch_dims_of_gather_nd_that_are_none(batch_dims, message):
    with pytest.raises(ValueError, match=message):
        tf.gather_nd(tf.constant([[1, 2], [3, 4]]), [[1], [0]], batch_dims)


def test_scattering_one_number():
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    scatters = (tf.tensor_scatter_nd_add, tf.tensor_scatter_nd_sub, tf.tensor_scatter_nd_update)
    for scatter in (*scatters, lambda x, i, u: tf.scatter_nd(i, u, [4])):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Updates shape must have rank at least one"):
            scatter(x, [1], 10.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"of indices\[shape=\[1\]\] = 1 must match"):
        tf.tensor_scatter_nd_add([x, x], [1], x)
    v = tf.Variable(x)
    assert v.scatter_nd_add([1, 2], [5.0, 6.0]).numpy().tolist() == [1, 7, 9, 4]
    with pytest.raises(tf.errors.InvalidArgumentError):
        v.scatter_nd_add([1], 5.0)
