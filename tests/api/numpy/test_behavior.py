"""`reflow/api/numpy/behavior.py`: NumPy's methods, operators and indexing on tensors.

What is enabled is undone after each test.
"""

import numpy as np
import pytest

import reflow as tf
from reflow.api import operators
from reflow.api.numpy import behavior
from reflow.api.numpy.types import settings
from reflow.core.tensor import EagerTensor, Tensor
from reflow.eager.variables import Variable

tnp = tf.experimental.numpy


@pytest.fixture
def enabled():
    """A function that enables a mode until the test ends."""
    kept = [(kind, dict(vars(kind))) for kind in (Tensor, EagerTensor, Variable)]
    yield tnp.experimental_enable_numpy_behavior
    settings.mode, settings.prefer_float32 = "off", False
    for kind, before in kept:
        for name in vars(kind).keys() - before.keys():
            delattr(kind, name)
        for name in behavior.METHODS.keys() & before.keys():
            setattr(kind, name, before[name])
    operators.install()


def test_methods(enabled):
    with pytest.raises(AttributeError, match="experimental_enable_numpy_behavior"):
        tf.constant([1]).T  # noqa: B018
    enabled()
    x = tf.constant([[1, 2, 3], [4, 5, 6]])
    assert x.T.shape == (3, 2) and x.size == 6 and x.tolist() == [[1, 2, 3], [4, 5, 6]] and x.data is x
    assert x.reshape(3, 2).tolist() == x.reshape([3, 2]).tolist() == [[1, 2], [3, 4], [5, 6]]
    assert x.ravel().shape == x.flatten().shape == (6,) and x.transpose([1, 0]).shape == (3, 2)
    assert x.astype(np.float16).dtype == tf.float16 and x.max() == 6 and x.min() == 1 and x.mean() == 3.5
    assert x.clip(2, 3).tolist() == [[2, 2, 3], [3, 3, 3]] and (+x).tolist() == x.tolist()
    assert round(tf.constant(1.567), 2).numpy() == np.float32(1.57)
    traced = tf.function(lambda x: (x.T, x.size, x.reshape(-1)))(x)
    assert traced[0].shape == (3, 2) and traced[1] == 6 and traced[2].shape == (6,)


def test_operators_promote(enabled):
    enabled()
    i, f = tf.constant(1), tf.constant(1.5)
    assert (
        (i + f).dtype == (1.5 + i).dtype == (i / 2).dtype == tf.float64 and (i + 1).dtype == tf.int32
        and (f + 1).dtype == tf.float32
    )
    assert bool(i < 1.5) and bool(i == 1.0) and not bool(i != 1.0) and (i == None) is False and (i != None) is True  # noqa: E711
    assert (tf.constant(3) & tf.constant(1, tf.int64)).dtype == tf.int64
    assert (tf.constant([1, 2]) @ tf.constant([1.0, 2.0])).numpy() == 5.0
    assert (tf.Variable(1) + 1.5).dtype == tf.float64
    assert tf.function(lambda a, b: a * b)(i, f).dtype == tf.float64
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.add(i, f)


def test_indexing_by_arrays(enabled):
    enabled()
    a = np.arange(24).reshape(2, 3, 4)
    x = tf.constant(a)
    for key in [
        ([1, 0],), ([0, 1], [2, 0]), ([0, 1], slice(None), [3, 1]), (slice(None), [[0, 1], [2, 2]]),
        (Ellipsis, [0, -1]), (1, [0, 2]), (None, [0, 1]), ([0, 1], None, slice(1, 3)),
        (slice(None), np.array([True, False, True])), (slice(None), [0], [1, 2]), (Ellipsis, slice(0, 2), [1]),
    ]:  # fmt: skip
        assert x[key].numpy().tolist() == a[key].tolist(), key
    assert x[[1, 0]].numpy().tolist() == a[[1, 0]].tolist() and x[a > 20].numpy().tolist() == [21, 22, 23]
    assert x[1].numpy().tolist() == a[1].tolist()
    with pytest.raises(IndexError, match="valid indices"):
        x[[1.5]]


def test_other_elements_at_an_index(enabled):
    enabled()
    x = tf.constant([[1, 2], [3, 4]])
    assert x._with_index_update((0, slice(None)), [7, 8]).tolist() == [[7, 8], [3, 4]]
    assert x._with_index_add(([0, 0], [1, 1]), 5).tolist() == [[1, 12], [3, 4]]
    assert x._with_index_max(x > 2, 9).tolist() == [[1, 2], [9, 9]]
    assert x._with_index_min(1, 0.5).tolist() == [[1, 2], [0, 0]]


def test_prefer_float32(enabled):
    enabled(prefer_float32=True)
    assert tnp.asarray(1.5).dtype == tf.float32 and tnp.zeros(2).dtype == tf.float64


@pytest.mark.filterwarnings("ignore:UserWarning")
def test_modes(enabled):
    enabled(dtype_conversion_mode="all")
    eight, unsigned = tf.constant(1, tf.int8), tf.constant(1, tf.uint8)
    assert (
        (eight + unsigned).dtype == tf.int16
        and (tf.constant(1, tf.int64) + tf.constant(1.5, tf.float32)).dtype == tf.float32
    )
    assert (eight + 1).dtype == tf.int8 and tnp.sum([1, 2]).dtype == tf.int32 and tnp.zeros(2).dtype == tf.float32
    enabled(dtype_conversion_mode="safe")
    with pytest.raises(
        TypeError,
        match="PromoMode.SAFE, implicit dtype promotion between .<dtype: 'int8'>, weak=False. and .<dtype: 'uint8'>",
    ):
        eight + unsigned
    assert (eight + tf.constant(1, tf.int32)).dtype == tf.int32
    with pytest.raises(OverflowError):
        eight + 2**40
    enabled(dtype_conversion_mode="off")
    assert tf.constant([[1, 2]]).T.shape == (2, 1)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.constant(1) + tf.constant(1.5)
    with pytest.raises(ValueError, match="promotion mode some does not exist"):
        enabled(dtype_conversion_mode="some")


def test_an_index_that_is_none(enabled):
    enabled()
    for key in ("a", 1.5, ([0], "a")):
        with pytest.raises(IndexError, match="valid indices"):
            tf.constant([1, 2])[key]
