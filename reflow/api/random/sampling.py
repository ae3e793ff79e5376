"""`tf.random`: stateful ops with hidden streams, stateless ones with explicit seeds, generators with a state variable.

The numbers are TensorFlow's own: see `reflow/ops/philox.py` and `reflow/ops/random_state.py`.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from reflow.api.call import call
from reflow.api.export import export, export_value, with_sections
from reflow.api.scoped import scoped
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.tensor import Tensor
from reflow.ops import random_state
from reflow.ops.convert import convert_to_tensor

_FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
_INTS = (dtypes.int32, dtypes.int64)
_UNSIGNED = (dtypes.uint32, dtypes.uint64)


@export("random.Algorithm", "random.experimental.Algorithm")
class Algorithm(enum.Enum):
    """The algorithms of random numbers. On the CPU there is Philox, which `AUTO_SELECT` picks.

    The members are `PHILOX`, `THREEFRY` (which only TPUs have in TensorFlow) and `AUTO_SELECT`.

    Args:
      value: The number of a member: 1, 2 or 3.

    >>> Algorithm.PHILOX.value
    1
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def algorithm_number(alg) -> int | Tensor:
    """An algorithm given as a number, a member of `Algorithm`, its name, or None (auto-select)."""
    if alg is None:
        return Algorithm.AUTO_SELECT.value
    if isinstance(alg, Algorithm):
        return alg.value
    if isinstance(alg, str):
        name = alg.strip().lower().replace("-", "").replace("_", "")
        for member in Algorithm:
            if member.name.lower().replace("_", "") == name:
                return member.value
        raise ValueError(
            f"Argument `alg` got unsupported value {alg}. Supported values are philox for the Philox algorithm, "
            "threefry for the ThreeFry algorithm, and auto_select for auto-selection."
        )
    if isinstance(alg, (int, np.integer)):
        return int(alg)
    if isinstance(alg, Tensor):
        return alg
    raise TypeError(f"Can't convert argument `alg` (of value {alg} and type {type(alg)}) to int.")


def shape_tensor(shape):
    """A shape argument as an integer tensor."""
    if isinstance(shape, Tensor):
        return shape
    if isinstance(shape, TensorShape):
        shape = shape.as_list()
    if isinstance(shape, (list, tuple)):
        shape = [int(d) if isinstance(d, np.integer) else d for d in shape]
        return (
            convert_to_tensor(shape, dtypes.int32) if not shape else convert_to_tensor(shape, dtype_hint=dtypes.int32)
        )
    return convert_to_tensor(shape, dtype_hint=dtypes.int32)


def _checked(dtype, accepted):
    dtype = dtypes.as_dtype(dtype)
    if dtype not in accepted:
        names = ", ".join(map(repr, accepted))
        raise ValueError(f"Argument `dtype` got invalid value {dtype!r}. Accepted dtypes are ({names}).")
    return dtype


def _scaled(samples, scale, offset, dtype, name):
    """samples * scale + offset."""
    offset, scale = convert_to_tensor(offset, dtype), convert_to_tensor(scale, dtype)
    return call("AddV2", (call("Mul", (samples, scale)), offset), label=name)


def _between(samples, low, high, dtype, name):
    """Samples of [0, 1) moved to [low, high)."""
    low, high = convert_to_tensor(low, dtype), convert_to_tensor(high, dtype)
    return call("AddV2", (call("Mul", (samples, call("Sub", (high, low)))), low), label=name)


# --- seeds ------------------------------------------------------------------------------------------------------------


export_value(random_state.get_seed, "compat.v1.get_seed", "compat.v1.random.get_seed")


@export("random.set_seed")
def set_seed(seed):
    """Sets the global seed: later random ops, and those of existing functions, start again from it.

    Args:
      seed: An integer; None for numbers that differ from run to run.

    Returns:
      None.

    >>> set_seed(7); a = uniform([2]); set_seed(7); b = uniform([2])
    >>> bool((a.numpy() == b.numpy()).all())
    True
    """
    random_state.set_seed(seed)


# --- stateful ops -----------------------------------------------------------------------------------------------------


@export("random.uniform")
@scoped("random_uniform", result=True)
def uniform(shape, minval: Any = 0, maxval=None, dtype: Any = dtypes.float32, seed=None, name=None):
    """Draws uniformly distributed numbers from `[minval, maxval)`.

    Args:
      shape: The shape of the result.
      minval: The least number; for floats also a tensor that broadcasts with the result.
      maxval: The end of the range, which is excluded; 1 by default for floats, needed for integers.
      dtype: The dtype of the result: float16, bfloat16, float32, float64, int32 or int64.
      seed: A seed for this op, which together with the global one decides on its numbers.
      name: A name for the operation.

    Returns:
      A tensor of the given shape and dtype.

    Raises:
      ValueError: `dtype` is another one, or an integer range has no `maxval`.
      InvalidArgumentError: An integer range is empty.

    >>> set_seed(7); uniform([2]).numpy().round(3)
    array([0.834, 0.233], dtype=float32)
    """
    dtype = _checked(dtype, (*_FLOATS, *_INTS))
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    shape = shape_tensor(shape)
    attrs = random_state.seed_attrs(seed)
    if dtype.is_integer:
        bounds = convert_to_tensor(minval, dtype), convert_to_tensor(maxval, dtype)
        return call("RandomUniformInt", (shape, *bounds), {**attrs, "Tout": dtype}, name)
    from_zero = isinstance(minval, int) and minval == 0
    samples = call("RandomUniform", (shape,), {**attrs, "dtype": dtype}, name)
    if not from_zero:
        return _between(samples, minval, maxval, dtype, name)
    if isinstance(maxval, int) and maxval == 1:
        return samples
    return call("Mul", (samples, convert_to_tensor(maxval, dtype)), label=name)


_NORMAL = """\
Args:
  shape: The shape of the result.
  mean: The mean{before}, a number or a tensor that broadcasts with the result.
  stddev: The standard deviation{before}, in the same way.
  dtype: The dtype of the result, a float.
  seed: A seed for this op, which together with the global one decides on its numbers.
  name: A name for the operation.

Returns:
  A tensor of the given shape and dtype.
"""


@export("random.normal")
@scoped("random_normal", result=True)
@with_sections(_NORMAL, before="")
def normal(shape, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed=None, name=None):
    """Draws normally distributed numbers.

    >>> normal([2, 3], mean=5.0).shape
    TensorShape([2, 3])
    """
    dtype = dtypes.as_dtype(dtype)
    samples = call("RandomStandardNormal", (shape_tensor(shape),), {**random_state.seed_attrs(seed), "dtype": dtype})
    return _scaled(samples, stddev, mean, dtype, name)


@export("random.truncated_normal")
@scoped("truncated_normal", result=True)
@with_sections(_NORMAL, before=" before truncation")
def truncated_normal(shape, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed=None, name=None):
    """Draws normally distributed numbers; those more than two deviations from the mean are redrawn.

    >>> bool((abs(truncated_normal([100]).numpy()) < 2).all())
    True
    """
    dtype = dtypes.as_dtype(dtype)
    samples = call("TruncatedNormal", (shape_tensor(shape),), {**random_state.seed_attrs(seed), "dtype": dtype})
    return _scaled(samples, stddev, mean, dtype, name)


@export("random.shuffle")
def shuffle(value, seed=None, name=None):
    """Puts the rows of a tensor in random order.

    Args:
      value: A tensor; its first axis is shuffled.
      seed: A seed for this op, which together with the global one decides on the order.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `value`.

    >>> sorted(shuffle([1, 2, 3]).numpy().tolist())
    [1, 2, 3]
    """
    return call("RandomShuffle", (convert_to_tensor(value),), random_state.seed_attrs(seed), name)


_CATEGORICAL = """\
Args:
  logits: A matrix of unnormalized log-probabilities, a row for each distribution.
  num_samples: How many to draw for each row.
  dtype: The dtype of the result, int64 or int32.
  seed: A seed for this op, which together with the global one decides on its numbers.
  name: A name for the operation.

Returns:
  A matrix of shape `[rows, num_samples]`.

Raises:
  ValueError: `dtype` is another one.
"""


@export("random.categorical")
@with_sections(_CATEGORICAL)
def categorical(logits, num_samples, dtype=None, seed=None, name=None):
    """Draws class numbers for each row of `logits`: class i with probability `softmax(logits)[i]`.

    Args:
      dtype: The dtype of the result, int64 (by default) or int32.

    Raises:
      InvalidArgumentError: `logits` is not a matrix.

    >>> categorical([[0.0, 0.0]], 4).shape
    TensorShape([1, 4])
    """
    dtype = _checked(dtype or dtypes.int64, _INTS)
    attrs = {**random_state.seed_attrs(seed), "output_dtype": dtype}
    return call("Multinomial", (convert_to_tensor(logits), convert_to_tensor(num_samples, dtypes.int32)), attrs, name)


# --- stateless ops ----------------------------------------------------------------------------------------------------


def key_counter_alg(seed, alg):
    """What a stateless op takes instead of a seed: key, counter and algorithm, as tensors."""
    alg = algorithm_number(alg)
    if alg == Algorithm.THREEFRY.value:
        raise ValueError(
            "Argument `alg` is threefry, which TensorFlow has no CPU kernel for. Use philox or auto_select."
        )
    key, counter = call("StatelessRandomGetKeyCounter", (convert_to_tensor(seed),))
    return key, counter, convert_to_tensor(alg, dtypes.int32)


def _stateless(op_name, shape, seed, dtype, alg, name=None):
    return call(op_name, (shape_tensor(shape), *key_counter_alg(seed, alg)), {"dtype": dtype}, name)


def whole_range(dtype, minval, maxval) -> bool:
    """Whether integers without bounds are wanted; ValueError if there is only one bound."""
    if (minval is None) != (maxval is None):
        raise ValueError(
            f"For integer `dtype` argument {dtype}, argument `minval` and `maxval` must be both None or not "
            f"None. Got `minval`={minval} and `maxval`={maxval}."
        )
    return minval is None


@export("random.stateless_uniform")
def stateless_uniform(
    shape, seed, minval: Any = 0, maxval=None, dtype: Any = dtypes.float32, name=None, alg="auto_select"
):
    """Draws uniformly distributed numbers that depend only on the seed.

    Args:
      shape: The shape of the result.
      seed: Two integers.
      minval: The least number; for integers None, together with `maxval`, means the whole range of the dtype.
      maxval: The end of the range, which is excluded; 1 by default for floats.
      dtype: The dtype of the result: float16, bfloat16, float32, float64, int32, int64, or, for the whole range, uint32
        or uint64.
      name: A name for the operation.
      alg: "philox" or "auto_select", or a member of `tf.random.Algorithm`.

    Returns:
      A tensor of the given shape and dtype.

    Raises:
      ValueError: `dtype` or `alg` is another one, or an integer range has one bound only.
      InvalidArgumentError: The seed has another shape.

    >>> stateless_uniform([3], [1, 2], 0, 10, "int32").numpy()
    array([0, 9, 4], dtype=int32)
    """
    dtype = _checked(dtype, (*_FLOATS, *_INTS, *_UNSIGNED))
    if dtype.is_integer:
        if whole_range(dtype, minval, maxval):
            return _stateless("StatelessRandomUniformFullIntV2", shape, seed, dtype, alg, name)
        if dtype in _UNSIGNED:
            raise ValueError(
                f"Argument `dtype` got invalid value {dtype!r} when argument `minval` is not None. Please don't "
                "use unsigned integers in this case."
            )
        bounds = convert_to_tensor(minval, dtype), convert_to_tensor(maxval, dtype)
        return call(
            "StatelessRandomUniformIntV2", (shape_tensor(shape), *key_counter_alg(seed, alg), *bounds), label=name
        )
    samples = _stateless("StatelessRandomUniformV2", shape, seed, dtype, alg)
    return _between(samples, minval, 1 if maxval is None else maxval, dtype, name)


_OF_SEED = """\
Args:
  seed: Two integers.
  alg: "philox" or "auto_select", or a member of `tf.random.Algorithm`.

Raises:
  InvalidArgumentError: The seed has another shape.
"""


@export("random.stateless_normal")
@with_sections(_NORMAL, before="")
@with_sections(_OF_SEED)
def stateless_normal(
    shape, seed, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name=None, alg="auto_select"
):
    """Draws normally distributed numbers that depend only on the seed.

    >>> stateless_normal([2], [1105988140, 1738052849]).numpy().round(4)
    array([-0.5984, -0.9579], dtype=float32)
    """
    dtype = dtypes.as_dtype(dtype)
    return _scaled(_stateless("StatelessRandomNormalV2", shape, seed, dtype, alg), stddev, mean, dtype, name)


@export("random.stateless_truncated_normal")
@with_sections(_NORMAL, before=" before truncation")
@with_sections(_OF_SEED)
def stateless_truncated_normal(
    shape, seed, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name=None, alg="auto_select"
):
    """Draws normal numbers within two deviations of the mean that depend only on the seed.

    >>> stateless_truncated_normal([2], [1, 2]).shape
    TensorShape([2])
    """
    dtype = dtypes.as_dtype(dtype)
    return _scaled(_stateless("StatelessTruncatedNormalV2", shape, seed, dtype, alg), stddev, mean, dtype, name)


@export("random.stateless_categorical")
@with_sections(_CATEGORICAL)
def stateless_categorical(logits, num_samples, seed, dtype: Any = dtypes.int64, name=None):
    """Draws class numbers for each row of `logits`, like `categorical`, from an explicit seed.

    Args:
      seed: Two integers.

    >>> stateless_categorical([[0.1, 0.5, 0.2]], 5, seed=[1, 2]).numpy()
    array([[2, 2, 0, 2, 1]])
    """
    dtype = _checked(dtypes.int64 if dtype is None else dtype, _INTS)
    inputs = convert_to_tensor(logits), convert_to_tensor(num_samples, dtypes.int32), convert_to_tensor(seed)
    return call("StatelessMultinomial", inputs, {"output_dtype": dtype}, name)


@export("random.experimental.stateless_shuffle")
def stateless_shuffle(value, seed, alg="auto_select", name=None):
    """Puts the rows of a tensor in an order that depends only on the seed.

    Args:
      value: A tensor; its first axis is shuffled.
      seed: Two integers.
      alg: "philox" or "auto_select", or a member of `tf.random.Algorithm`.
      name: A name for the operation.

    Returns:
      A tensor of the shape and dtype of `value`.

    Raises:
      InvalidArgumentError: The seed has another shape.

    >>> stateless_shuffle([0, 1, 2, 3, 4, 5, 6, 7], [1, 2]).numpy()
    array([4, 2, 1, 7, 3, 6, 0, 5], dtype=int32)
    """
    return call("StatelessShuffle", (convert_to_tensor(value), *key_counter_alg(seed, alg)), label=name)


@export("random.split", "random.experimental.stateless_split")
def split(seed, num: Any = 2, alg="auto_select"):
    """Makes `num` new seeds of one.

    Args:
      seed: Two integers, int32 or int64.
      num: How many seeds to make.
      alg: "philox" or "auto_select", or a member of `tf.random.Algorithm`.

    Returns:
      A tensor of shape `[num, 2]`, of the dtype of `seed`, with a seed in each row.

    >>> split([1, 2], 2).numpy()
    array([[1105988140, 1738052849],
           [-335576002,  370444179]], dtype=int32)
    """
    seed = convert_to_tensor(seed)
    return stateless_uniform([num, 2], seed, None, None, seed.dtype, alg=alg)


@export("random.fold_in", "random.experimental.stateless_fold_in")
def fold_in(seed, data, alg="auto_select"):
    """Makes a new seed of a seed and an integer, such as a step or a replica's number.

    Args:
      seed: Two integers.
      data: The integer, int32 or int64.
      alg: "philox" or "auto_select", or a member of `tf.random.Algorithm`.

    Returns:
      A vector of two integers of the dtype of `data`.

    >>> fold_in([1, 2], 3).numpy()
    array([1105988140,          3], dtype=int32)
    """
    data = convert_to_tensor(data)
    first = stateless_uniform([], seed, None, None, data.dtype, alg=alg)
    return call("Pack", (first, data), {"N": 2, "axis": 0})


# --- distributions drawn by rejection ---------------------------------------------------------------------------------


def _gamma_scaled(samples, beta, name):
    """samples / beta, never zero."""
    tiny = convert_to_tensor(float(np.finfo(samples.dtype.np_dtype).tiny), samples.dtype)
    return call("Maximum", (tiny, call("RealDiv", (samples, beta))), label=name)


@export("random.gamma")
def gamma(shape, alpha, beta=None, dtype: Any = dtypes.float32, seed=None, name=None):
    """Draws gamma-distributed numbers: `shape` of them for each alpha and beta.

    Args:
      shape: The shape of what is drawn for each pair of parameters.
      alpha: The shape parameters, a tensor of positive floats.
      beta: The inverse scales, 1 by default; broadcasts with `alpha`.
      dtype: The dtype of the parameters and the result, a float.
      seed: A seed for this op, which together with the global one decides on its numbers.
      name: A name for the operation.

    Returns:
      A tensor of shape `shape` + the shape that `alpha` and `beta` broadcast to; NaN where `alpha` is negative.

    >>> gamma([4], [0.5, 2.0]).shape
    TensorShape([4, 2])
    """
    dtype = dtypes.as_dtype(dtype)
    alpha, beta = convert_to_tensor(alpha, dtype), convert_to_tensor(1 if beta is None else beta, dtype)
    alpha = call("AddV2", (alpha, call("ZerosLike", (beta,))))
    samples = call("RandomGamma", (shape_tensor(shape), alpha), random_state.seed_attrs(seed))
    return _gamma_scaled(samples, beta, name)


@export("random.stateless_gamma")
def stateless_gamma(shape, seed, alpha, beta=None, dtype: Any = dtypes.float32, name=None):
    """Draws gamma-distributed numbers from an explicit seed.

    Args:
      shape: The shape of the result, which ends in that of `alpha` and `beta`.
      seed: Two integers.
      alpha: The shape parameters, a tensor of positive floats.
      beta: The inverse scales, 1 by default; broadcasts with `alpha`.
      dtype: The dtype of the parameters and the result, a float.
      name: A name for the operation.

    Returns:
      A tensor of the given shape and dtype.

    Raises:
      InvalidArgumentError: `shape` does not end in that of the parameters.

    >>> stateless_gamma([4, 2], [1, 2], [0.5, 2.0]).shape
    TensorShape([4, 2])
    """
    dtype = dtypes.as_dtype(dtype)
    alpha, beta = convert_to_tensor(alpha, dtype), convert_to_tensor(1 if beta is None else beta, dtype)
    alpha = call("AddV2", (alpha, call("ZerosLike", (beta,))))
    samples = call("StatelessRandomGammaV3", (shape_tensor(shape), *key_counter_alg(seed, None), alpha))
    return _gamma_scaled(samples, beta, name)


@export("random.poisson")
def poisson(shape, lam, dtype: Any = dtypes.float32, seed=None, name=None):
    """Draws Poisson-distributed numbers: `shape` of them for each rate `lam`.

    Args:
      shape: The shape of what is drawn for each rate.
      lam: The rates, a tensor of numbers that are not negative.
      dtype: The dtype of the result: float16, float32, float64, int32 or int64.
      seed: A seed for this op, which together with the global one decides on its numbers.
      name: A name for the operation.

    Returns:
      A tensor of shape `shape` + the shape of `lam`.

    >>> poisson([4], [0.5, 20.0]).shape
    TensorShape([4, 2])
    """
    attrs = {**random_state.seed_attrs(seed), "dtype": dtypes.as_dtype(dtype)}
    return call("RandomPoissonV2", (shape_tensor(shape), convert_to_tensor(lam)), attrs, name)


@export("random.stateless_poisson")
def stateless_poisson(shape, seed, lam, dtype: Any = dtypes.int32, name=None):
    """Draws Poisson-distributed numbers from an explicit seed.

    Args:
      shape: The shape of the result, which ends in that of `lam`.
      seed: Two integers.
      lam: The rates, a tensor of numbers that are not negative.
      dtype: The dtype of the result: float16, float32, float64, int32 or int64.
      name: A name for the operation.

    Returns:
      A tensor of the given shape and dtype.

    Raises:
      InvalidArgumentError: `shape` does not end in that of `lam`.

    >>> stateless_poisson([4, 2], [1, 2], [0.5, 20.0]).shape
    TensorShape([4, 2])
    """
    inputs = shape_tensor(shape), convert_to_tensor(seed), convert_to_tensor(lam)
    return call("StatelessRandomPoisson", inputs, {"dtype": dtypes.as_dtype(dtype)}, name)


@export("random.stateless_binomial")
def stateless_binomial(shape, seed, counts, probs, output_dtype: Any = dtypes.int32, name=None):
    """Draws the number of successes in `counts` trials with probability `probs`, from an explicit seed.

    Args:
      shape: The shape of the result, which ends in that of `counts` and `probs`.
      seed: Two integers.
      counts: The number of trials, a tensor of numbers.
      probs: The probability of a success; broadcasts with `counts`.
      output_dtype: The dtype of the result.
      name: A name for the operation.

    Returns:
      A tensor of the given shape and dtype.

    Raises:
      InvalidArgumentError: `shape` does not end in that of the parameters.

    >>> stateless_binomial([3], [1, 2], 10.0, 0.5).shape
    TensorShape([3])
    """
    probs = convert_to_tensor(probs, dtype_hint=dtypes.float32)
    counts = convert_to_tensor(counts, dtype_hint=probs.dtype)
    inputs = shape_tensor(shape), convert_to_tensor(seed), counts, probs
    return call("StatelessRandomBinomial", inputs, {"dtype": dtypes.as_dtype(output_dtype)}, name)
