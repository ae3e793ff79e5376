"""`tf.compat.v1.initializers`: functions from a shape to initial values, with version 1's defaults and streams.

`initial_value` says what a named variable begins with, by these or by what a program gives.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.api.array import arrange, creation
from reflow.api.export import export, export_function, with_sections
from reflow.api.linalg import diag, solve
from reflow.api.math import unary
from reflow.api.random import sampling
from reflow.compat.functions import constant
from reflow.core import dtypes
from reflow.core.context import swapped
from reflow.core.shapes import TensorShape
from reflow.core.tensor import TensorBase
from reflow.graph.symbolic import SymbolicTensor
from reflow.ops.convert import convert_to_tensor


def _sizes(shape):
    """A shape as a list; a tensor, and sizes that only a run knows, stay tensors."""
    if isinstance(shape, SymbolicTensor):
        return shape
    return [d if isinstance(d, SymbolicTensor) else int(d) for d in shape]


class Initializer:
    """Called with a shape; `dtype` may be given here or when it is called. Of a part of a variable, `partition_info`
    tells the whole shape, which decides the scale."""

    _whole: list | None = None

    def __init__(self, dtype=dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        self._whole = None if partition_info is None else list(partition_info.full_shape)
        return self.values(_sizes(shape), self.dtype if dtype is None else dtypes.as_dtype(dtype))

    def values(self, shape, dtype):
        raise NotImplementedError

    def get_config(self) -> dict:
        """The arguments of the constructor, for `from_config`."""
        return (
            {name: value for name, value in vars(self).items() if name != "dtype" and name[0] != "_"}
            | {"dtype": self.dtype.name}
        )

    @classmethod
    def from_config(cls, config):
        """An initializer made from what `get_config` returned."""
        return cls(**config)


_VALUES = """\
Args:
  mean: The mean.
  stddev: The standard deviation.
  gain: What the matrix is multiplied by.
  seed: A seed for the random numbers.
  dtype: The dtype of the values, unless a call gives one.
"""


def _filled(name: str, doc: str, example: str) -> type[Initializer]:
    """The class of an initializer with zeros or ones."""

    def values(self, shape, dtype):
        return getattr(creation, name)(shape, dtype, name)

    title, text = name.title(), f"{doc}\n\n{inspect.cleandoc(example)}"
    values.__qualname__ = f"{title}.values"
    made = type(title, (Initializer,), {"values": values, "__doc__": text, "__module__": __name__})
    return export(f"compat.v1.{name}_initializer", f"compat.v1.initializers.{name}")(with_sections(_VALUES)(made))


Zeros = _filled("zeros", "Initializes with zeros, or empty strings.", """
    >>> tf.compat.v1.zeros_initializer(dtype=tf.int32)([2]).numpy().tolist()
    [0, 0]
""")
Ones = _filled("ones", "Initializes with ones.", """
    >>> tf.compat.v1.ones_initializer()([2]).numpy().tolist()
    [1.0, 1.0]
""")


@export("compat.v1.constant_initializer", "compat.v1.initializers.constant")
@with_sections(_VALUES)
class Constant(Initializer):
    """Initializes with one value, or with a list of values, the last of which fills what is left of a graph's tensor.

    Args:
      value: A number, a string, or a list or an array of them.
      verify_shape: Whether the values must fill the shape.

    Raises:
      TypeError: `value` is neither a number nor a list or an array of them, or it does not fit the shape.

    >>> tf.compat.v1.constant_initializer(3)([2]).numpy().tolist()
    [3.0, 3.0]

    Raises:
      TypeError: `value` is neither a number nor a list or an array of them, or it does not fit the shape.
    """

    def __init__(self, value=0, dtype=dtypes.float32, verify_shape=False):
        if not isinstance(value, (bool, int, float, complex, str, bytes, list, tuple, np.ndarray, np.generic)):
            raise TypeError(
                f"Invalid type for initial value={value} of type: {type(value).__name__}. Expected Python scalar, list "
                "or tuple of values, or numpy.ndarray."
            )
        super().__init__(dtype)
        self.value, self._verify_shape = value, verify_shape

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        kind = self.dtype if dtype is None else dtypes.as_dtype(dtype)
        return constant(
            self.value, kind, shape, verify_shape=self._verify_shape if verify_shape is None else verify_shape
        )


@export("compat.v1.random_normal_initializer", "compat.v1.initializers.random_normal")
@with_sections(_VALUES)
class RandomNormal(Initializer):
    """Initializes with normal samples.

    >>> values = tf.compat.v1.random_normal_initializer(mean=5.0, stddev=0.1, seed=1)([1000])
    >>> 4.9 < tf.reduce_mean(values).numpy().item() < 5.1
    True
    """

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=dtypes.float32):
        super().__init__(dtype)
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def values(self, shape, dtype):
        return sampling.normal(shape, self.mean, self.stddev, dtype, seed=self.seed)


@export("compat.v1.truncated_normal_initializer", "compat.v1.initializers.truncated_normal")
@with_sections(_VALUES)
class TruncatedNormal(RandomNormal):
    """Initializes with normal samples; those beyond two standard deviations are drawn again.

    >>> values = tf.compat.v1.truncated_normal_initializer(stddev=0.1, seed=1)([1000])
    >>> bool(tf.reduce_max(tf.abs(values)) <= 0.2)
    True
    """

    def values(self, shape, dtype):
        return sampling.truncated_normal(shape, self.mean, self.stddev, dtype, seed=self.seed)


@export("compat.v1.random_uniform_initializer", "compat.v1.initializers.random_uniform")
@with_sections(_VALUES)
class RandomUniform(Initializer):
    """Initializes with uniform samples.

    Args:
      minval: The lower end.
      maxval: The upper end, which is left out; by default 1 for floating-point numbers.

    >>> values = tf.compat.v1.random_uniform_initializer(-1.0, 1.0, seed=1)([1000])
    >>> bool(tf.reduce_max(tf.abs(values)) <= 1.0)
    True
    """

    def __init__(self, minval=0.0, maxval=None, seed=None, dtype=dtypes.float32):
        super().__init__(dtype)
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def values(self, shape, dtype):
        top = 1.0 if self.maxval is None and not dtype.is_integer else self.maxval
        return sampling.uniform(shape, self.minval, top, dtype, seed=self.seed)


@export("compat.v1.uniform_unit_scaling_initializer", "compat.v1.initializers.uniform_unit_scaling")
@with_sections(_VALUES)
class UniformUnitScaling(Initializer):
    """Initializes with uniform samples that keep the scale of what they multiply.

    They lie between `-limit` and `limit`, which is `factor * sqrt(3 / inputs)`.

    Args:
      factor: What the limit is multiplied by.

    >>> values = tf.compat.v1.uniform_unit_scaling_initializer(seed=1)([300, 10])      # within √(3 / 300)
    >>> bool(tf.reduce_max(tf.abs(values)) <= 0.1)
    True
    """

    def __init__(self, factor=1.0, seed=None, dtype=dtypes.float32):
        super().__init__(dtype)
        self.factor, self.seed = factor, seed

    def values(self, shape, dtype):
        rows = max(1, math.prod((self._whole or shape)[:-1]))
        limit = math.sqrt(3 / rows) * self.factor
        return sampling.uniform(shape, -limit, limit, dtype, seed=self.seed)


@export("compat.v1.variance_scaling_initializer", "compat.v1.initializers.variance_scaling")
@with_sections(_VALUES)
class VarianceScaling(Initializer):
    """Initializes with samples whose variance follows from the shape.

    Args:
      scale: The variance times the number that `mode` names.
      mode: "fan_in", the number of inputs, "fan_out", that of outputs, or "fan_avg", their mean.
      distribution: "truncated_normal" or "normal", which are the same, "untruncated_normal", or "uniform".

    Raises:
      ValueError: `scale` is not positive, or there is no such mode or distribution.

    >>> values = tf.compat.v1.variance_scaling_initializer(scale=2.0, distribution="uniform", seed=1)([600, 10])
    >>> bool(tf.reduce_max(tf.abs(values)) <= 0.1)      # √(3 · 2 / 600)
    True
    """

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None, dtype=dtypes.float32):
        super().__init__(dtype)
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: {mode}")
        distribution = distribution.lower()
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(
                "Argument `distribution` should be one of ('normal', uniform', 'truncated_normal', "
                f"'untruncated_normal'). Received: {distribution}"
            )
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    def values(self, shape, dtype):
        fans = dict(zip(("fan_in", "fan_out"), _fans(self._whole or shape), strict=True))
        count = sum(fans.values()) / 2 if self.mode == "fan_avg" else fans[self.mode]
        scale = self.scale / max(1.0, count)
        if self.distribution in ("normal", "truncated_normal"):
            deviation = math.sqrt(scale) / 0.87962566103423978  # of a normal one that ends at two deviations
            return sampling.truncated_normal(shape, 0.0, deviation, dtype, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return sampling.normal(shape, 0.0, math.sqrt(scale), dtype, seed=self.seed)
        limit = math.sqrt(3.0 * scale)
        return sampling.uniform(shape, -limit, limit, dtype, seed=self.seed)


def _fans(shape) -> tuple:
    """How many inputs and outputs a variable of a shape connects."""
    if len(shape) < 2:
        return (shape[0],) * 2 if shape else (1, 1)
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


@export("compat.v1.glorot_uniform_initializer", "compat.v1.initializers.glorot_uniform")
@with_sections(_VALUES)
class GlorotUniform(VarianceScaling):
    """Initializes with uniform samples in ±√(6 / (inputs + outputs)).

    >>> values = tf.compat.v1.glorot_uniform_initializer(seed=1)([300, 300])
    >>> bool(tf.reduce_max(tf.abs(values)) <= 0.1)
    True
    """

    def __init__(self, seed=None, dtype=dtypes.float32):
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def get_config(self) -> dict:
        """The arguments of the constructor, for `from_config`."""
        return {"seed": self.seed, "dtype": self.dtype.name}


@export("compat.v1.glorot_normal_initializer", "compat.v1.initializers.glorot_normal")
@with_sections(_VALUES)
class GlorotNormal(VarianceScaling):
    """Initializes with truncated normal samples of the variance 2 / (inputs + outputs).

    >>> values = tf.compat.v1.glorot_normal_initializer(seed=1)([100, 100])
    >>> round(tf.math.reduce_std(values).numpy().item(), 2)
    0.1
    """

    def __init__(self, seed=None, dtype=dtypes.float32):
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)

    def get_config(self) -> dict:
        """The arguments of the constructor, for `from_config`."""
        return {"seed": self.seed, "dtype": self.dtype.name}


def _scaled(scale: float, distribution: str, name: str, doc: str):
    def make(seed=None):
        return VarianceScaling(scale, "fan_in", distribution, seed)

    limit = math.sqrt(3 * scale / 600) if distribution == "uniform" else 2 * math.sqrt(scale / 600) / 0.87
    example = f"""
        >>> values = tf.compat.v1.initializers.{name}(seed=1)([600, 10])
        >>> bool(tf.reduce_max(tf.abs(values)) < {limit:.3f})
        True
    """
    doc += "\n\nArgs:\n  seed: A seed for the random numbers.\n\nReturns:\n  An initializer."
    return export_function(make, f"compat.v1.initializers.{name}", doc=doc, example=example)


lecun_normal = _scaled(
    1.0, "truncated_normal", "lecun_normal", "Returns an initializer: truncated normal samples of variance 1 / inputs."
)
lecun_uniform = _scaled(
    1.0, "uniform", "lecun_uniform", "Returns an initializer: uniform samples of variance 1 / inputs."
)
he_normal = _scaled(
    2.0, "truncated_normal", "he_normal", "Returns an initializer: truncated normal samples of variance 2 / inputs."
)
he_uniform = _scaled(2.0, "uniform", "he_uniform", "Returns an initializer: uniform samples of variance 2 / inputs.")


def _no_matrix(shape) -> ValueError:
    return ValueError(
        "The tensor to initialize, specified by argument `shape` must be at least two-dimensional. Received "
        f"shape={shape}"
    )


@export("compat.v1.orthogonal_initializer", "compat.v1.initializers.orthogonal")
@with_sections(_VALUES)
class Orthogonal(Initializer):
    """Initializes with a random matrix whose columns or rows are orthogonal; all axes but the last are joined.

    Raises:
      ValueError: When called: the shape has fewer than two axes.

    >>> matrix = tf.compat.v1.orthogonal_initializer(seed=1)([3, 3])
    >>> bool(tf.reduce_all(tf.abs(tf.matmul(matrix, matrix, transpose_a=True) - tf.eye(3)) < 1e-5))
    True
    """

    def __init__(self, gain=1.0, seed=None, dtype=dtypes.float32):
        super().__init__(dtype)
        self.gain, self.seed = gain, seed

    def values(self, shape, dtype):
        if len(shape) < 2:
            raise _no_matrix(shape)
        rows, columns = math.prod(shape[:-1]), shape[-1]
        q, r = solve.qr(sampling.normal([max(rows, columns), min(rows, columns)], dtype=dtype, seed=self.seed))
        q = q * unary.sign(diag.diag_part(r))
        q = arrange.transpose(q) if rows < columns else q
        return self.gain * arrange.reshape(q, shape)


@export("compat.v1.initializers.identity")
@with_sections(_VALUES)
class Identity(Initializer):
    """Initializes with the identity matrix.

    Raises:
      ValueError: When called: the shape does not have two axes.

    >>> tf.compat.v1.initializers.identity(gain=2.0)([2, 2]).numpy().tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """

    def __init__(self, gain=1.0, dtype=dtypes.float32):
        super().__init__(dtype)
        self.gain = gain

    def values(self, shape, dtype):
        if len(shape) != 2:
            raise _no_matrix(shape)
        return self.gain * creation.eye(shape[0], shape[1], dtype=dtype)


def default_initializer(name, dtype):
    """TensorFlow's default: uniform in ±√(6 / (fan in + fan out)), or zeros."""
    dtype = dtypes.as_dtype(dtype)
    if dtype.is_floating:
        return GlorotUniform()
    if not (dtype.is_integer or dtype.is_unsigned or dtype.is_bool or dtype is dtypes.string):
        raise ValueError(f"An initializer for variable {name} of {dtype} is required")
    return lambda shape, dtype: creation.zeros(shape, dtype, "zeros")


def initial_value(name, shape, dtype, initializer, asked):
    """What a named variable begins with: the value, or a function that makes it, and the dtype.

    The dtype is None if it follows from the value. `asked`: whether the dtype was given.
    """
    dtype = dtypes.as_dtype(dtype)
    if initializer is None:
        if shape is None:
            raise ValueError(f"Variable {name} did not get an initializer, so its `shape` argument must be specified.")
        initializer = default_initializer(name, dtype)
    if isinstance(initializer, type):
        initializer = initializer()
    if not callable(initializer):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        found = initializer.dtype if isinstance(initializer, TensorBase) else constant_dtype(initializer)
        if asked and found is not dtype:
            raise ValueError(f"Initializer type '{found}' and explicit dtype '{dtype}' don't match.")
        return initializer, None
    if shape is None and not _parameters(initializer):
        return initializer, None
    if shape is None or not TensorShape(shape).is_fully_defined():
        raise ValueError(
            "The initializer passed is not valid. It should be a callable with no arguments and the shape should not "
            "be provided or an instance of `tf.keras.initializers.*' and `shape` should be fully defined. (variable "
            f"{name}, shape {shape})"
        )
    return (lambda: initializer(TensorShape(shape).as_list(), dtype=dtype)), dtype


def constant_dtype(value: Any) -> dtypes.DType:
    """The dtype of a Python value or an array as a tensor."""
    with swapped(graph=None):
        found: dtypes.DType = convert_to_tensor(value).dtype
    return found


def _parameters(function: Callable[..., Any]) -> list:
    """The parameters that a call must pass."""
    found = inspect.signature(function).parameters.values()
    return [p for p in found if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
