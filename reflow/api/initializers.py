"""`tf.zeros_initializer` and TensorFlow's other initializers (Keras has more: `tf.keras.initializers`).

An initializer is an object that creates a tensor from a shape and a dtype.
"""

from __future__ import annotations

from typing import Any

from reflow.api.array import creation
from reflow.api.export import export
from reflow.api.random import sampling as random
from reflow.core import dtypes
from reflow.ops import convert


class Initializer:
    """Base: the configuration is the constructor's arguments."""

    def get_config(self) -> dict:
        """The arguments that make this initializer again."""
        return dict(vars(self))

    @classmethod
    def from_config(cls, config: dict):
        """An initializer from what `get_config` gave."""
        config = dict(config)
        config.pop("dtype", None)
        return cls(**config)


def _number(dtype, allowed: str = "numeric or boolean") -> dtypes.DType:
    dtype = dtypes.as_dtype(dtype)
    if dtype.np_dtype is None or dtype is dtypes.string:
        raise ValueError(f"Argument `dtype` expected to be {allowed}. Received {dtype}.")
    return dtype


def _float(dtype) -> dtypes.DType:
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {dtype}.")
    return dtype


class _Filled(Initializer):
    value: int

    def __call__(self, shape, dtype=dtypes.float32, **kwargs):
        return (
            creation.ones(shape, _number(dtype), "ones") if self.value
            else creation.zeros(shape, _number(dtype), "zeros")
        )


@export("zeros_initializer")
class Zeros(_Filled):
    """Zeros.

    >>> tf.zeros_initializer()([2]).numpy().tolist()
    [0.0, 0.0]
    """

    value = 0


@export("ones_initializer")
class Ones(_Filled):
    """Ones.

    >>> tf.ones_initializer()([2]).numpy().tolist()
    [1.0, 1.0]
    """

    value = 1


@export("constant_initializer")
class Constant(Initializer):
    """Fills a tensor with a constant value, or with a list of as many values as it has elements.

    Args:
      value: The value, or the values.
      support_partition: Recorded only.

    >>> tf.constant_initializer([1.0, 2.0])([2]).numpy().tolist()
    [1.0, 2.0]
    """

    def __init__(self, value: Any = 0, support_partition=False):
        self.value, self.support_partition = value, support_partition

    def __call__(self, shape, dtype=None, **kwargs):
        return convert.constant(self.value, dtype=None if dtype is None else dtypes.as_dtype(dtype), shape=shape)


@export("random_uniform_initializer")
class RandomUniform(Initializer):
    """Fills a tensor with random numbers between two bounds. With a seed, every call gives the same ones.

    Args:
      minval: The lower bound.
      maxval: The upper bound, which is left out.
      seed: An integer that makes the numbers repeatable.

    >>> tf.random_uniform_initializer(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed=None):
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape, dtype=dtypes.float32, **kwargs):
        if self.seed is None:
            return random.uniform(shape, self.minval, self.maxval, _number(dtype))
        return random.stateless_uniform(shape, [self.seed, 0], self.minval, self.maxval, _number(dtype))


@export("random_normal_initializer")
class RandomNormal(Initializer):
    """Fills a tensor with normally distributed numbers. With a seed, every call gives the same ones.

    Args:
      mean: Their mean.
      stddev: Their standard deviation.
      seed: An integer that makes the numbers repeatable.

    >>> tf.random_normal_initializer(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed=None):
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape, dtype=dtypes.float32, **kwargs):
        if self.seed is None:
            return random.normal(shape, self.mean, self.stddev, _float(dtype))
        return random.stateless_normal(shape, [self.seed, 0], self.mean, self.stddev, _float(dtype))
