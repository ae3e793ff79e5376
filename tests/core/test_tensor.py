"""Tensors: TensorFlow's own constructor, and what they say of themselves to its code."""

import sys

import numpy as np
import pytest

import reflow as tf
from reflow.core.tensor import EagerTensor

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


def test_any_value_on_a_device():
    assert EagerTensor(3, device=CPU).dtype is tf.int32
    assert EagerTensor(np.array([1.5]), device="", dtype=1).numpy().dtype == np.float32
    assert EagerTensor(1, device=CPU).device == CPU
    with pytest.raises(TypeError, match=r"missing required argument 'device'"):
        EagerTensor(1)
    with pytest.raises(TypeError, match="Expecting a DataType value for dtype. Got str"):
        EagerTensor(1, device=CPU, dtype="1")
    with pytest.raises(TypeError, match="Invalid dtype argument value 34"):
        EagerTensor(1, device=CPU, dtype=34)


def test_private_facts():
    x = tf.zeros([2, 3], tf.int64)
    assert (
        (x._shape_tuple(), x._shape_as_list(), x._rank(), x._num_elements(), x._datatype_enum())
        == ((2, 3), [2, 3], 2, 6, 9)
    )


def test_a_handle_has_no_array_but_a_text():
    handle = tf.Variable(1).handle
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Cannot convert a Tensor of dtype resource to a NumPy array."
    ):
        handle.numpy()
    assert f"{handle}" == f"{handle:10}"


def test_numbers_may_stand_among_complex_ones():
    assert tf.constant([True, 1, 2.0, 3j], tf.complex128).numpy().tolist() == [1, 1, 2, 3j]
    with pytest.raises(ValueError, match="mixed types"):
        tf.constant([1, 2j], tf.complex64)


def test_an_array_interface_is_an_array():
    class Wrapper:
        kept = np.array([1.5, 2.0])
        __array_interface__ = kept.__array_interface__

    assert tf.constant(Wrapper()).numpy().tolist() == [1.5, 2.0]


@pytest.mark.parametrize("array", [
    np.arange(20000, dtype=np.float32), np.ones([100, 300])[:, ::2].T, np.zeros([300, 300], ">f4"),
    np.ones([400, 400], bool),
    np.full([90, 90], 1 + 2j), np.zeros([0, 5], np.float32)])
def test_large_arrays_are_copied_to_where_xla_can_read_them(array):
    expected = array.tolist()
    tensors = (
        [tf.constant(array), tf.constant(array, tf.complex128)] if array.dtype.kind != "b" else [tf.constant(array)]
    )
    array[...] = 0
    for tensor in tensors:
        assert tensor._value.ctypes.data % 64 == 0 or not array.size and tensor.shape == array.shape
        assert tensor.numpy().tolist() == expected and tensor._value.flags.c_contiguous


def test_elements_as_a_buffer():
    view = tf.constant([[1, 2], [3, 4]]).__buffer__(0)
    assert (view.format, view.readonly, view.shape, view.tolist()) == ("i", True, (2, 2), [[1, 2], [3, 4]])
    with pytest.raises(BufferError, match="Cannot convert a Tensor of dtype resource to a NumPy array."):
        tf.Variable(1).handle.__buffer__(0)
    with pytest.raises(ValueError, match="cannot include dtype 'E' in a buffer"):
        tf.constant([1.0], tf.bfloat16).__buffer__(0)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python classes support buffers from 3.12 on")
def test_memory_views():
    assert memoryview(tf.constant(42.0)).tolist() == 42.0 and bytes(tf.constant([1, 2], tf.uint8)) == b"\x01\x02"
    assert np.array(memoryview(tf.constant([], tf.float32))).shape == (0,)
    for values in ([1.5, 2.5], ["a", "b"], [True], [1j]):
        x = tf.constant(values)
        assert np.asarray(x).tolist() == x.numpy().tolist() and np.asarray(x).dtype == x.numpy().dtype
    assert np.asarray(tf.constant([1.0], tf.bfloat16)).dtype == tf.bfloat16.as_numpy_dtype
