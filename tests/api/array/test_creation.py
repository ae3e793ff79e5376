"""`reflow/api/array/creation.py`: what TensorFlow prints for the expressions of `creation.txt`."""

import pytest

import reflow as tf
from reflow.core import errors
from tests.expressions import session

test_expressions = session(__file__)


@pytest.mark.parametrize("shape", [["a"], "a", [1.5]])
def test_a_shape_of_other_things_than_integers(shape):
    for create in (tf.zeros, tf.ones):
        with pytest.raises(TypeError, match="to EagerTensor of dtype int32"):
            create(shape)


@pytest.mark.parametrize("shape", [tf.constant([1.0]), tf.constant(["a"])])
def test_a_shape_that_is_a_tensor_of_other_things(shape):
    with pytest.raises(errors.InvalidArgumentError, match="Value for attr 'index_type'"):
        tf.zeros(shape)


def test_ranges_of_other_things_than_numbers():
    for dtype in (tf.string, tf.bool):
        with pytest.raises(TypeError, match=f"Cannot convert 0 to EagerTensor of dtype {dtype.name}"):
            tf.range(5, dtype=dtype)
    with pytest.raises(errors.InvalidArgumentError, match="Range"):
        tf.range("a")


def test_sizes_above_32_bits_are_not_cut_off():
    big = 2**32 + 2
    assert tf.random.normal([big, 0]).shape == [big, 0]
    assert tf.random.stateless_uniform([0, big], [1, 2]).shape == [0, big]
    assert tf.pad(tf.zeros([0, 1]), [[0, 0], [0, big]]).shape == [0, big + 1]
    assert tf.convert_to_tensor([big], dtype_hint=tf.int32).dtype == tf.int64
