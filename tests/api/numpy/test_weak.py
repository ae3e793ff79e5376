"""`reflow/api/numpy/weak.py`: tensors whose dtype gives way to that of others."""

import copy

import numpy as np
import pytest

import reflow as tf
from reflow.api.numpy.weak import EagerWeakTensor, GraphWeakTensor, WeakTensor, convert_to_weak_tensor_or_tensor

WEAK = WeakTensor.from_tensor(tf.constant([1, 2]))
SCALAR = WeakTensor.from_tensor(tf.constant(3))


def test_it_reads_like_a_tensor():
    assert str(WEAK) == "tf.Tensor([1 2], shape=(2,), dtype=int32, weak=True)"
    assert repr(WEAK) == "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32), weak=True>"
    assert f"{SCALAR}" == "3 weakly typed" and repr(SCALAR) == "<tf.Tensor: shape=(), dtype=int32, numpy=3, weak=True>"
    assert (WEAK.dtype, WEAK.shape, WEAK.ndim, len(WEAK)) == (tf.int32, [2], 1, 2)
    assert (int(SCALAR), float(SCALAR), complex(SCALAR), bool(SCALAR), SCALAR.__index__()) == (3, 3.0, 3 + 0j, True, 3)
    assert (
        np.array(WEAK).tolist() == WEAK.numpy().tolist() == [1, 2] and np.asarray(WEAK, np.float32).dtype == np.float32
    )
    assert [type(x) for x in WEAK] == [EagerWeakTensor] * 2 and tf.is_tensor(WEAK)
    with pytest.raises(TypeError, match="Tensor is unhashable"):
        hash(WEAK)
    with pytest.raises(AttributeError, match="has no attribute 'foo'"):
        WEAK.foo  # noqa: B018


def test_conversions():
    assert type(WEAK.to_tensor()) is type(tf.convert_to_tensor(WEAK)) is type(tf.constant(1))
    with pytest.raises(ValueError, match="Tensor conversion requested dtype float32 for Tensor with dtype int32"):
        tf.convert_to_tensor(WEAK, tf.float32)
    assert WeakTensor.from_tensor(WEAK) is WEAK and convert_to_weak_tensor_or_tensor(WEAK, False) is WEAK.tensor
    assert isinstance(convert_to_weak_tensor_or_tensor(WEAK.tensor, True), EagerWeakTensor)
    for copied in (copy.copy(WEAK), copy.deepcopy(WEAK)):
        assert isinstance(copied, EagerWeakTensor) and copied.numpy().tolist() == [1, 2]
    with pytest.raises(
        TypeError, match="<dtype: 'bool'> not allowed as a weak type. The allowed types are .tf.int32, tf.int64"
    ):
        WeakTensor.from_tensor(tf.constant([True]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="can only be constructed from tf.Tensor or tf.WeakTensor"):
        WeakTensor.from_tensor(1)


def test_in_functions_and_graphs():
    kinds = []
    result = tf.function(lambda x: kinds.append(type(x)) or WeakTensor.from_tensor(x.tensor + 1))(WEAK)
    assert kinds == [EagerWeakTensor] and isinstance(result, GraphWeakTensor) and result.numpy().tolist() == [2, 3]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        assert session.run(WeakTensor.from_tensor(tf.constant([4]))).tolist() == [4]
    with tf.GradientTape() as tape:
        x = WeakTensor.from_tensor(tf.constant([3.0]))
        tape.watch(x)
        y = x * x
    assert isinstance(tape.gradient(y, x), EagerWeakTensor)
