"""`reflow/api/numpy/weak_functions.py`: what TensorFlow gives in mode "all", and without promotion."""

import numpy as np
import pytest

import reflow as tf
from reflow.api import operators
from reflow.api.numpy.types import settings
from reflow.api.numpy.weak import WeakTensor
from tests.api.numpy.test_behavior import enabled as enabled

tnp = tf.experimental.numpy

#: expression, the class of the result, its dtype, its value
PROMOTED = """
    tf.constant(1)  #  EagerWeakTensor int32 1
    tf.constant([1.0,2])  #  EagerWeakTensor float32 [1.0, 2.0]
    tf.constant(1, tf.int32)  #  EagerTensor int32 1
    tf.constant(np.array([1]))  #  EagerTensor int64 [1]
    tf.constant(True)  #  EagerTensor bool True
    tf.constant(1j)  #  EagerWeakTensor complex128 1j
    tf.constant(w)  #  EagerWeakTensor int32 [1, 2]
    tf.constant(w, tf.float32)  #  EagerTensor float32 [1.0, 2.0]
    tf.abs(w)  #  EagerWeakTensor int32 [1, 2]
    tf.abs(-1)  #  EagerWeakTensor int32 1
    tf.abs(-1.5)  #  EagerWeakTensor float32 1.5
    tf.abs(tf.constant(-1,tf.int32))  #  EagerTensor int32 1
    tf.add(w,t)  #  EagerTensor int8 [2, 4]
    tf.add(w,wf)  #  EagerWeakTensor float32 [2.0, 4.0]
    tf.add(1,2)  #  EagerWeakTensor int32 3
    tf.add(t,tf32)  #  EagerTensor float32 [2.0, 4.0]
    tf.add(w,tb)  #  EagerWeakTensor int32 [2, 2]
    tf.add(1.5,t)  #  EagerWeakTensor float64 [2.5, 3.5]
    tf.add(v,w)  #  EagerTensor int16 [2, 4]
    tf.add(wf64,t16)  #  EagerTensor float16 [2.0, 4.0]
    w+1  #  EagerWeakTensor int32 [2, 3]
    1+w  #  EagerWeakTensor int32 [2, 3]
    w+1.5  #  EagerWeakTensor float32 [2.5, 3.5]
    t+w  #  EagerTensor int8 [2, 4]
    t+1  #  EagerTensor int8 [2, 3]
    t+1.5  #  EagerWeakTensor float64 [2.5, 3.5]
    -w  #  EagerWeakTensor int32 [-1, -2]
    ~w  #  EagerWeakTensor int32 [-2, -3]
    abs(w)  #  EagerWeakTensor int32 [1, 2]
    w/2  #  EagerWeakTensor float64 [0.5, 1.0]
    w//2  #  EagerWeakTensor int32 [0, 1]
    w%2  #  EagerWeakTensor int32 [1, 0]
    w**2  #  EagerWeakTensor int32 [1, 4]
    w-np.int8(1)  #  EagerTensor int8 [0, 1]
    w==w  #  EagerTensor bool [True, True]
    w<1  #  EagerTensor bool [False, False]
    w & 1  #  EagerTensor int32 [1, 0]
    w[0]  #  EagerTensor int32 1
    tf.reduce_sum(w)  #  EagerWeakTensor int32 3
    tf.reduce_max([1,2])  #  EagerWeakTensor int32 2
    tf.argmax(w)  #  EagerTensor int64 1
    tf.cast(w,tf.int32)  #  EagerTensor int32 [1, 2]
    tf.reshape(w,[2,1])  #  EagerWeakTensor int32 [[1], [2]]
    tf.transpose([w])  #  EagerWeakTensor int32 [[1], [2]]
    tf.concat([w,w],0)  #  EagerTensor int32 [1, 2, 1, 2]
    tf.stack([w,w])  #  EagerTensor int32 [[1, 2], [1, 2]]
    tf.zeros_like(w)  #  EagerWeakTensor int32 [0, 0]
    tf.range(3)  #  EagerTensor int32 [0, 1, 2]
    tf.matmul([[1,2]],[[1],[2]])  #  EagerWeakTensor int32 [[5]]
    tf.where([True,False],w,w)  #  EagerTensor int32 [1, 2]
    tf.math.is_nan(wf)  #  EagerTensor bool [False, False]
    tf.math.real(wc)  #  EagerWeakTensor float64 [1.0, 2.0]
    tf.clip_by_value(w,0,1)  #  EagerWeakTensor int32 [1, 1]
    tf.squeeze(w)  #  EagerWeakTensor int32 [1, 2]
    tf.identity(w)  #  EagerWeakTensor int32 [1, 2]
    tf.identity(1)  #  EagerWeakTensor int32 1
    tf.stop_gradient(w)  #  EagerWeakTensor int32 [1, 2]
    tf.math.divide(t,w)  #  EagerTensor float32 [1.0, 1.0]
    tf.math.pow(t,2)  #  EagerTensor int8 [1, 4]
    tf.equal(1.0,t)  #  EagerTensor bool [True, False]
    tf.less(w,w)  #  EagerTensor bool [False, False]
    tf.maximum(w,t)  #  EagerTensor int8 [1, 2]
    tf.math.divide_no_nan(1,2)  #  EagerWeakTensor float64 0.5
    tf.truncatediv(w,2)  #  EagerWeakTensor int32 [0, 1]
    tf.math.floormod(w,t)  #  EagerTensor int8 [0, 0]
    tf.math.scalar_mul(2,w)  #  EagerWeakTensor int32 [2, 4]
    tf.math.scalar_mul(2,t)  #  EagerTensor int8 [2, 4]
    v2+1  #  EagerTensor float32 [2.0, 3.0]
    v+1.5  #  EagerWeakTensor float64 [2.5, 3.5]
    tnp.array([1.5])  #  EagerWeakTensor float32 [1.5]
    tnp.sum(w)  #  EagerWeakTensor int32 3
    tnp.arange(3)  #  EagerWeakTensor int32 [0, 1, 2]
    tnp.arange(3,dtype=tf.int32)  #  EagerTensor int32 [0, 1, 2]
    tnp.mean(w)  #  EagerWeakTensor float32 1.5
    tnp.ones([2])  #  EagerTensor float32 [1.0, 1.0]
    tnp.isinf(wf)  #  EagerTensor bool [False, False]
    tnp.dot(w,w)  #  EagerTensor int32 5
    w.T  #  EagerWeakTensor int32 [1, 2]
    w.reshape([2,1])  #  EagerWeakTensor int32 [[1], [2]]
    w.astype(tf.float32)  #  EagerTensor float32 [1.0, 2.0]
    w.max()  #  EagerWeakTensor int32 2
    w.clip(0,1)  #  EagerTensor int32 [1, 1]
    tf.function(lambda x: x)(w)  #  EagerWeakTensor int32 [1, 2]
    tf.function(lambda x: x+1)(w)  #  GraphWeakTensor int32 [2, 3]
    tf.function(lambda: tf.constant(1))()  #  GraphWeakTensor int32 1
    tf.linalg.trace([[1.,2],[3.,4]])  #  EagerWeakTensor float32 5.0
    tf.linalg.diag(w)  #  EagerWeakTensor int32 [[1, 0], [0, 2]]
    tf.math.floor(1.5)  #  EagerWeakTensor float32 1.0
    tf.add(w,[1.5,2])  #  EagerWeakTensor float32 [2.5, 4.0]
    [1.5,2]+w  #  EagerWeakTensor float32 [2.5, 4.0]
"""
PLAIN = """
    tf.constant(1)  #  EagerTensor int32 1
    tf.constant([1.0,2])  #  EagerTensor float32 [1.0, 2.0]
    tf.constant(1j)  #  EagerTensor complex128 1j
    tf.constant(w)  #  EagerTensor int32 [1, 2]
    tf.abs(w)  #  EagerTensor int32 [1, 2]
    tf.abs(-1)  #  EagerTensor int32 1
    tf.abs(-1.5)  #  EagerTensor float32 1.5
    tf.add(1,2)  #  EagerTensor int32 3
    w+1  #  EagerTensor int32 [2, 3]
    1+w  #  EagerTensor int32 [2, 3]
    -w  #  EagerTensor int32 [-1, -2]
    ~w  #  EagerTensor int32 [-2, -3]
    abs(w)  #  EagerTensor int32 [1, 2]
    w/2  #  EagerTensor float64 [0.5, 1.0]
    w//2  #  EagerTensor int32 [0, 1]
    w%2  #  EagerTensor int32 [1, 0]
    w**2  #  EagerTensor int32 [1, 4]
    w-np.int8(1)  #  EagerTensor int32 [0, 1]
    tf.reduce_sum(w)  #  EagerTensor int32 3
    tf.reduce_max([1,2])  #  EagerTensor int32 2
    tf.reshape(w,[2,1])  #  EagerTensor int32 [[1], [2]]
    tf.transpose([w])  #  EagerTensor int32 [[1], [2]]
    tf.concat([w,w],0)  #  EagerTensor int32 [1, 2, 1, 2]
    tf.zeros_like(w)  #  EagerTensor int32 [0, 0]
    tf.matmul([[1,2]],[[1],[2]])  #  EagerTensor int32 [[5]]
    tf.math.real(wc)  #  EagerTensor float64 [1.0, 2.0]
    tf.clip_by_value(w,0,1)  #  EagerTensor int32 [1, 1]
    tf.squeeze(w)  #  EagerTensor int32 [1, 2]
    tf.identity(w)  #  EagerWeakTensor int32 [1, 2]
    tf.identity(1)  #  EagerTensor int32 1
    tf.math.divide_no_nan(1,2)  #  EagerTensor float64 0.5
    tf.truncatediv(w,2)  #  EagerTensor int32 [0, 1]
    tf.math.scalar_mul(2,w)  #  EagerTensor int32 [2, 4]
    tnp.array([1.5])  #  EagerTensor float64 [1.5]
    tnp.sum(w)  #  EagerTensor int64 3
    tnp.arange(3)  #  EagerTensor int64 [0, 1, 2]
    tnp.mean(w)  #  EagerTensor float64 1.5
    tnp.ones([2])  #  EagerTensor float64 [1.0, 1.0]
    w.T  #  EagerTensor int32 [1, 2]
    w.reshape([2,1])  #  EagerTensor int32 [[1], [2]]
    w.max()  #  EagerTensor int32 2
    tf.function(lambda x: x+1)(w)  #  EagerTensor int32 [2, 3]
    tf.function(lambda: tf.constant(1))()  #  EagerTensor int32 1
    tf.linalg.trace([[1.,2],[3.,4]])  #  EagerTensor float32 5.0
    tf.linalg.diag(w)  #  EagerTensor int32 [[1, 0], [0, 2]]
    tf.math.floor(1.5)  #  EagerTensor float32 1.0
"""


def names() -> dict:
    """What the expressions name."""
    weak = {
        "w": ([1, 2], tf.int32), "wf": ([1.0, 2.0], tf.float32), "wc": ([1.0, 2.0], tf.complex128),
        "wf64": ([1, 2], tf.float64),
    }  # fmt: skip
    tensors = {
        "t": ([1, 2], tf.int8), "tf32": ([1.0, 2.0], tf.float32), "tb": ([True, False], tf.bool),
        "t16": ([1.0, 2.0], tf.float16),
    }
    return {
        **{name: WeakTensor.from_tensor(tf.constant(*given)) for name, given in weak.items()},
        **{name: tf.constant(*given) for name, given in tensors.items()},
        "v": tf.Variable([1, 2], dtype=tf.int16), "v2": tf.Variable([1.0, 2.0]), "tf": tf, "np": np, "tnp": tnp,
    }  # fmt: skip


def check(table: str) -> None:
    known = names()
    for row in table.strip().splitlines():
        expression, wanted = row.strip().split("  #  ")
        got = eval(expression, known)  # noqa: S307
        assert f"{type(got).__name__} {got.dtype.name} {got.numpy().tolist()}" == wanted, expression


def test_mode_all(enabled):
    enabled(dtype_conversion_mode="all")
    check(PROMOTED)


def test_without_promotion(enabled):
    enabled(dtype_conversion_mode="all")
    enabled(dtype_conversion_mode="off")
    check(PLAIN)


def test_mode_safe_refuses(enabled):
    enabled(dtype_conversion_mode="safe")
    known = names()
    for expression in ("tf.add(1.5, t)", "t + 1.5", "tf.equal(1.0, t)", "v.assign(wf)"):
        with pytest.raises(TypeError, match="In promotion mode PromoMode.SAFE, implicit dtype promotion between"):
            eval(expression, known)  # noqa: S307
    assert tf.add(known["w"], known["t"]).dtype == tf.int8


def test_variables_keep_their_dtype(enabled):
    enabled(dtype_conversion_mode="all")
    known = names()
    v, v2 = known["v"], known["v2"]
    v.assign(known["w"])
    v.assign_add(known["w"])
    v2.assign_sub(known["w"])
    assert v.numpy().tolist() == [2, 4] and v.dtype == tf.int16 and v2.numpy().tolist() == [0.0, 0.0]
    with pytest.raises(TypeError, match="Variable dtype is immutable. Calling assign of Variable"):
        v.assign(known["wf"])


def test_the_right_operand_answers_where_the_left_cannot(enabled):
    class Right:
        def __radd__(self, other):
            return True

    class Refuses:
        def __radd__(self, other):
            raise TypeError("refused")

    for mode in ("off", "legacy", "all"):
        enabled(dtype_conversion_mode=mode)
        weak = WeakTensor.from_tensor(tf.constant(5, tf.int32))
        assert (tf.ones([1]) + Right()) is True and (weak + Right()) is True
        with pytest.raises((TypeError, ValueError), match="Attempt to convert|Cannot interpret"):
            tf.ones([1]) + Refuses()
    assert settings.lattice and "add" in operators.ARITHMETIC
