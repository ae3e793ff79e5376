"""Tensors handed to other libraries by DLPack: nobody gets memory of ours that they could write into."""

import ctypes

import numpy as np
import pytest

import reflow as tf


def address(capsule) -> int:
    """Where the memory of a capsule is that does not know read-only: its structure begins with the pointer. NumPy would
    not write there, others do."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(pointer(capsule, b"dltensor"), ctypes.POINTER(ctypes.c_void_p))[0]


def write(capsule, value: float):
    """What an old consumer may do."""
    ctypes.cast(address(capsule), ctypes.POINTER(ctypes.c_float))[0] = value


def _compiled_result():
    double = tf.function(lambda x: x * 2.0)
    x = tf.constant([0.5, 1.0])
    for _ in range(3):
        y = double(x)
    assert not isinstance(y._value, np.ndarray)
    return y


@pytest.mark.parametrize(
    "make", [lambda: tf.constant([1.0, 2.0]), lambda: tf.Variable([1.0, 2.0]).read_value(), _compiled_result],
    ids=["constant", "read", "compiled"],
)
def test_an_array_shares_the_memory_and_is_read_only(make):
    x = make()
    array = np.from_dlpack(x)
    assert np.shares_memory(array, np.asarray(x))
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 99.0
    assert x.numpy().tolist() == [1.0, 2.0]


def test_a_write_never_reaches_a_variable():
    v = tf.Variable([1.0, 2.0])
    for export in (lambda: v.read_value().__dlpack__(), lambda: tf.experimental.dlpack.to_dlpack(v.read_value())):
        capsule = export()
        assert address(capsule) != np.asarray(v.read_value()).ctypes.data
        write(capsule, 99.0)
    assert v.numpy().tolist() == [1.0, 2.0]


def test_a_write_never_reaches_a_captured_constant():
    x = tf.constant([1.0, 2.0])
    f = tf.function(lambda: x + 1.0)
    first = f().numpy().tolist()
    capsule = x.__dlpack__()
    write(capsule, 99.0)
    assert f().numpy().tolist() == first == [2.0, 3.0]


def test_copies_on_request():
    x = tf.constant([1.0, 2.0])
    copy = np.from_dlpack(x, copy=True)
    copy[0] = 5.0
    assert x.numpy()[0] == 1.0
    assert np.shares_memory(np.from_dlpack(x, copy=False), np.asarray(x))
    with pytest.raises(BufferError, match="only a copy"):
        x.__dlpack__(copy=False)
    with pytest.raises(RuntimeError, match="non-None stream"):
        x.__dlpack__(stream=1)


def test_transposed_memory_is_copied():
    x = tf.transpose(tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    assert np.from_dlpack(x).tolist() == [[1.0, 3.0], [2.0, 4.0]]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "bfloat16", "float64", "complex64"])
def test_there_and_back(dtype):
    x = tf.cast([[0, 1], [1, 0]], dtype)
    y = tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(x))
    assert y.dtype is x.dtype
    np.testing.assert_array_equal(y.numpy(), x.numpy())


def test_what_cannot_be_exported():
    for bad in (tf.Variable(1.0), np.ones(2)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be a TF tensor, not Python object"):
            tf.experimental.dlpack.to_dlpack(bad)
    with pytest.raises(tf.errors.InvalidArgumentError, match="DT_STRING is not supported by dlpack"):
        tf.experimental.dlpack.to_dlpack(tf.constant("a"))
