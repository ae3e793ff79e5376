"""`tf.nn`: activations, softmax and its logarithm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.api.call import Function, call, described
from reflow.api.export import export, with_sections
from reflow.api.math import elementwise as m
from reflow.api.scoped import scoped
from reflow.core import dtypes
from reflow.core.errors import InvalidArgumentError
from reflow.core.tensor import EagerTensor, Tensor
from reflow.ops import registry
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.dispatch import dispatch_one

# --- activations ------------------------------------------------------------------------------------------------------


_FEATURES = """\
Args:
  features: A tensor of {kind}.
  name: A name for the operation.

Returns:
  A tensor of the same shape and dtype.
"""


def _activation(op_name: str, *names: str, kind: str) -> Callable[[Function], Function]:
    """The public function of an op with one input called `features`, which holds numbers of that kind."""
    op = registry.get(op_name)

    def function(features, name=None):
        if type(features) is not EagerTensor:
            features = convert_to_tensor(features)
        return dispatch_one(op, features) if name is None else call(op_name, (features,), label=name)

    return described(function, *names, sections=_FEATURES.format(kind=kind))


@_activation("Relu", "nn.relu", kind="real numbers")
def relu(features, name=None) -> Tensor:
    """Computes `max(x, 0)` elementwise.

    >>> relu(constant([-1.0, 2.0])).numpy()
    array([0., 2.], dtype=float32)
    """


@_activation("Relu6", "nn.relu6", kind="real numbers")
def relu6(features, name=None) -> Tensor:
    """Computes `min(max(x, 0), 6)` elementwise.

    >>> relu6(constant([-1.0, 2.0, 9.0])).numpy()
    array([0., 2., 6.], dtype=float32)
    """


@_activation("Elu", "nn.elu", kind="floats")
def elu(features, name=None) -> Tensor:
    """Computes `exp(x) - 1` below zero and `x` above, elementwise.

    >>> elu(constant([0.0, 2.0])).numpy()
    array([0., 2.], dtype=float32)
    """


@_activation("Selu", "nn.selu", kind="floats")
def selu(features, name=None) -> Tensor:
    """Computes the scaled ELU elementwise, which keeps the mean and variance of its inputs.

    >>> selu(constant([0.0, 1.0])).numpy().round(4)
    array([0.    , 1.0507], dtype=float32)
    """


@_activation("Softplus", "nn.softplus", "math.softplus", kind="floats")
def softplus(features, name=None) -> Tensor:
    """Computes `log(exp(x) + 1)` elementwise.

    >>> softplus(constant([0.0])).numpy().round(4)
    array([0.6931], dtype=float32)
    """


@_activation("Softsign", "nn.softsign", "math.softsign", kind="floats")
def softsign(features, name=None) -> Tensor:
    """Computes `x / (abs(x) + 1)` elementwise.

    >>> softsign(constant([1.0, -3.0])).numpy()
    array([ 0.5 , -0.75], dtype=float32)
    """


@export("nn.leaky_relu")
def leaky_relu(features, alpha: Any = 0.2, name=None):
    """Computes `x` above zero and `alpha * x` below, elementwise.

    Args:
      features: A tensor of real numbers; integers become float32.
      alpha: The slope below zero.
      name: A name for the operation.

    Returns:
      A tensor of floats of the same shape.

    >>> leaky_relu(constant([-1.0, 2.0])).numpy()
    array([-0.2,  2. ], dtype=float32)
    """
    features = convert_to_tensor(features)
    if features.dtype.is_integer:
        features = m.cast(features, dtypes.float32)
    return call("LeakyRelu", (features,), {"alpha": float(alpha)}, name)


@export("nn.crelu")
@scoped("CRelu")
def crelu(features, axis=-1, name=None):
    """Concatenates `relu(x)` and `relu(-x)` along an axis.

    Args:
      features: A tensor of real numbers.
      axis: The axis to concatenate along.
      name: A name for the operation.

    Returns:
      A tensor of the same dtype, with twice the size along `axis`.

    >>> crelu(constant([-1.0, 2.0])).numpy()
    array([0., 2., 1., 0.], dtype=float32)
    """
    features = convert_to_tensor(features)
    both = call("ConcatV2", (features, m.negative(features), constant(axis)), {"N": 2})
    return call("Relu", (both,), label=name)


def _in_float32(number: float) -> float:
    """A constant as TensorFlow sees it: a float32 before it is cast, also to float64."""
    return float(np.float32(number))


@export("nn.gelu")
def gelu(features, approximate=False, name=None):
    """Computes `x * P(X <= x)` for a standard normal `X`, elementwise.

    Args:
      features: A tensor of floats.
      approximate: Whether to use the approximation by `tanh`, rather than the exact distribution.
      name: A name for the operation.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: `features` are not floats.

    >>> gelu(constant([0.0, 1.0])).numpy().round(4)
    array([0.    , 0.8413], dtype=float32)
    """
    x = convert_to_tensor(features)
    if not x.dtype.is_floating:
        raise ValueError(f"`features.dtype` must be a floating point tensor.Received:features.dtype={x.dtype}")
    half = m.multiply(constant(0.5, x.dtype), x)
    if not approximate:
        return m.multiply(
            half, m.erfc(m.multiply(m.negative(x), constant(_in_float32(0.7071067811865476), x.dtype))), name=name
        )
    cubic = m.multiply(constant(_in_float32(0.044715), x.dtype), m.power(x, constant(3, x.dtype)))
    inner = m.tanh(m.multiply(constant(0.7978845608028654, x.dtype), m.add(x, cubic)))
    return m.multiply(half, m.add(constant(1, x.dtype), inner), name=name)


@export("nn.silu", "nn.swish")
def silu(features, beta: Any = 1.0):
    """Computes `x * sigmoid(beta * x)` elementwise.

    Args:
      features: A tensor of floats.
      beta: The slope inside the sigmoid.

    Returns:
      A tensor of the same shape and dtype.

    >>> silu(constant([0.0, 1.0])).numpy().round(4)
    array([0.    , 0.7311], dtype=float32)
    """
    x = convert_to_tensor(features)
    if isinstance(beta, (int, float)) and beta == 1:
        return m.multiply(x, m.sigmoid(x))
    return m.multiply(x, m.sigmoid(m.multiply(m.cast(beta, x.dtype), x)))


# --- softmax ----------------------------------------------------------------------------------------------------------


def _on_last_axis(op_name, logits, axis, name):
    """Apply an op of the last axis along another: one node if it is the last, else between two transpositions."""
    logits = convert_to_tensor(logits)
    rank = logits.shape.rank
    if axis in (None, -1) or axis == (rank or 0) - 1:
        return call(op_name, (logits,), label=name)
    if rank is None:
        raise ValueError(f"The rank of `logits` must be known for axis={axis}.")
    if not isinstance(axis, (int, np.integer)) and hasattr(axis, "is_integer"):
        raise InvalidArgumentError(None, None, f"`dim` must be an integer. Received: dim={axis}")
    if not -rank <= axis < rank:
        raise InvalidArgumentError(
            None, None,
            f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of "
            f"dimensions in the input. Received: dim={axis}",
        )
    places = list(range(rank))
    places[axis], places[-1] = places[-1], places[axis]
    order = constant(places)
    return call("Transpose", (call(op_name, (call("Transpose", (logits, order)),)), order), label=name)


_SOFTMAX = """\
Args:
  logits: A tensor of floats with at least one axis.
  axis: The axis that {along} along; by default the last.
  name: A name for the operation.

Returns:
  A tensor of the same shape and dtype.

Raises:
  InvalidArgumentError: `logits` is a scalar, or has no such axis.
"""


@export("nn.softmax", "math.softmax")
@with_sections(_SOFTMAX, along="the results sum to 1")
def softmax(logits, axis=None, name=None):
    """Computes `exp(x) / sum(exp(x))` along an axis.

    >>> softmax(constant([0.0, 0.0])).numpy()
    array([0.5, 0.5], dtype=float32)
    """
    return _on_last_axis("Softmax", logits, axis, name)


@export("nn.log_softmax", "math.log_softmax")
@with_sections(_SOFTMAX, along="the softmax is taken")
def log_softmax(logits, axis=None, name=None):
    """Computes the logarithm of `softmax`, accurately also where it is very small.

    >>> log_softmax(constant([0.0, 0.0])).numpy().round(4)
    array([-0.6931, -0.6931], dtype=float32)
    """
    return _on_last_axis("LogSoftmax", logits, axis, name)
