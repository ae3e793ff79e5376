"""Array functions against TensorFlow: values, errors, gradients, static shapes.

`tools/golden/array.py` records them.
"""

import json

import numpy as np
import pytest

import reflow as tf
from tests import recorded
from tests.api.array import array_cases
from tests.api.array.array_record import error_of, gradients_of, record

GOLDEN = recorded("array")


@pytest.mark.parametrize("name", array_cases.VALUES)
def test_value(name):
    assert plain(record(array_cases.VALUES[name](tf))) == GOLDEN["values"][name]


@pytest.mark.parametrize("name", array_cases.ERRORS)
def test_error(name):
    assert error_of(array_cases.ERRORS[name], tf) == GOLDEN["errors"][name]


@pytest.mark.parametrize("name", array_cases.GRADIENTS)
def test_gradient(name):
    assert plain(gradients_of(tf, *array_cases.GRADIENTS[name])) == GOLDEN["gradients"][name]


@pytest.mark.parametrize("name", array_cases.SHAPES)
def test_static_shape(name):
    assert plain(array_cases.static_shapes(tf, name)) == GOLDEN["shapes"][name]


@pytest.mark.parametrize("name", array_cases.GRADIENTS)
def test_gradient_in_function(name):
    """The same gradients inside a traced function whose inputs have unknown sizes."""
    function, inputs = array_cases.GRADIENTS[name]
    weighted = array_cases.weighted(tf, function)

    def gradients(*tensors):
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            total = weighted(*tensors)
        return [tf.zeros([]) if g is None else tf.convert_to_tensor(g) for g in tape.gradient(total, tensors)]

    signature = [tf.TensorSpec([None] * np.ndim(x), np.asarray(x).dtype) for x in inputs]
    traced = tf.function(gradients, input_signature=signature)
    for got, expected in zip(traced(*map(tf.constant, inputs)), GOLDEN["gradients"][name], strict=True):
        if expected is not None:
            assert plain(record(got)) == expected


def plain(x):
    return json.loads(json.dumps(x))


def test_small_slice_does_not_keep_a_large_array():
    x = tf.zeros([1000, 1000])
    assert not np.shares_memory(x[0, :2]._value, x._value)
    assert np.shares_memory(x[:900]._value, x._value)


def test_broadcast_result_owns_its_memory():
    assert 0 not in tf.broadcast_to(1.0, [100])._value.strides


def test_get_static_value():
    assert tf.get_static_value(tf.constant([1, 2])).tolist() == [1, 2]
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def f(x):
        dims = tf.shape(x)
        seen.append((tf.get_static_value(dims), tf.get_static_value(dims, partial=True).tolist(),
                     tf.get_static_value(dims[1] * 2), tf.get_static_value(x)))
        return x

    f(tf.zeros([2, 3]))
    whole, partial, product, unknown = seen[0]
    assert whole is None and partial == [None, 3] and product == 6 and unknown is None


def test_gather_gradient_is_sparse():
    x = tf.ones([4, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, [[1, 3], [1, 1]])
    g = tape.gradient(y, x)
    assert isinstance(g, tf.IndexedSlices)
    assert g.indices.numpy().tolist() == [1, 3, 1, 1] and g.values.shape == (4, 2)
    assert g.dense_shape.numpy().tolist() == [4, 2]


def test_dynamic_index_in_a_loop_of_a_function():
    @tf.function
    def total(x):
        out = tf.zeros(x[0].shape)
        for i in tf.range(tf.shape(x)[0]):
            out += x[i] * tf.cast(i + 1, tf.float32)
        return out

    assert total(tf.constant([[1.0, 2.0], [3.0, 4.0]])).numpy().tolist() == [7.0, 10.0]
