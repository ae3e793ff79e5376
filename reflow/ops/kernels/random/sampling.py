"""Random ops: stateless ones take a key and a counter, stateful ones keep a hidden cell (`reflow/ops/random_state.py`).

A stateful kernel finds its cell in the attribute `_counter`: a `Cell` (interpreted graphs), or a pair of arrays (key,
counter) that a compiled program passes in; without it, it is eager and looks its cell up. `draw` is the pure part that
both share. The public functions use the `V2` ops; their predecessors, which take a seed, are for graphs from real
TensorFlow.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable

import numpy as np

from reflow.core import errors
from reflow.core.resources import commit_lock
from reflow.core.tensor import HostObject
from reflow.core.types import Array
from reflow.ops import philox, random_state, require
from reflow.ops import shape_rules as rules
from reflow.ops.naming import Naming
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.xp.dtype_facts import is_narrow

PHILOX, THREEFRY, AUTO_SELECT = 1, 2, 3
F32, F64, I32, I64 = (np.dtype(t) for t in (np.float32, np.float64, np.int32, np.int64))

_DISTRIBUTIONS: dict[str, Callable] = {
    "RandomUniform": philox.uniform,
    "RandomStandardNormal": philox.normal,
    "TruncatedNormal": philox.truncated_normal,
    "RandomUniformFullInt": philox.full_int,
    "RandomUniformInt": philox.uniform_int,
}


def draw(xp, name, key, counter, shape, dtype, *bounds):
    """Samples of a distribution, called by the name of its stateful op: a pure function of key and counter."""
    return _DISTRIBUTIONS[name](xp, key, counter, tuple(shape), dtype, *bounds)


def dims_of_operand(shape) -> tuple:
    if shape.ndim != 1:
        raise ValueError(f"shape must be a vector of {{int32,int64}}, got shape {rules.text(shape.shape)}")
    dims = tuple(shape.tolist())
    if any(d < 0 for d in dims):
        raise errors.InvalidArgumentError(None, None, f"Dimension {min(dims)} must be >= 0")
    return dims


def check_range(xp, attrs, *inputs):
    """`minval`, `maxval` are the last two inputs of every op that draws integers from a range."""
    low, high = inputs[-2:]
    return [(xp.less(low, high), lambda *args: f"Need minval < maxval, got {args[-2]} >= {args[-1]}")]


# --- stateful ---------------------------------------------------------------------------------------------------------


def blocks_for_samples(shape) -> int:
    """How many 128-bit blocks of its stream a call with a result of this shape reserves."""
    return math.prod(map(int, shape)) * random_state.REGION


def blocks_for_shuffle(shape) -> int:
    """How many blocks a shuffle of a value of this shape reserves: a word for each row but the last."""
    return (int(shape[0]) - 1 + 3) // 4 if math.prod(map(int, shape)) > 1 and shape[0] > 1 else 0


def blocks_for_categories(shape) -> int:
    """How many blocks a draw of this many (rows, samples) reserves: two words a sample."""
    rows, samples = map(int, shape)
    return rows * (-(-samples // 4) * 4) * 2 * random_state.REGION if rows * samples else 0


def stream(name, attrs, shape, blocks=blocks_for_samples) -> tuple[Array, Array]:
    """The key and counter of this call of a stateful op."""
    cell = attrs.get("_counter")
    if isinstance(cell, tuple):
        return cell
    if cell is None:
        cell = random_state.eager_cell(name, attrs)
    return cell.take(blocks(shape))


def in_program(blocks, output=0):
    """The lowering rule of an op whose result number `output` is as large as what it draws: a row of the program's
    state is the stream, (key, counter's low half, counter's high half). A draw reads it and moves the counter on."""

    def lower(lowering, instruction, values):
        xp, cell = lowering.xp, instruction.attrs["_counter"]
        lowering.require_values(instruction, values)
        lowering.check(instruction, values)
        key, low, high = (xp.slice(lowering.state[cell], (i,), (1,)) for i in range(3))
        attrs = {**instruction.attrs, "_counter": (key, xp.concat([low, high], 0))}
        result = instruction.op.call(xp, values, attrs)
        outs = [result] if instruction.op.single else list(result)
        count = blocks(outs[output].shape)
        lowering.state[cell] = xp.concat([key, *philox.advance(xp, low, high, xp.const(count, low))], 0)
        lowering.count_draws(cell, count)
        return outs

    return lower


def _stateful(name):
    @op(name, fits="1", shape=rules.fill, static=("shape",), grad=NO_GRADIENT, lower=in_program(blocks_for_samples))
    def kernel(xp, shape, **attrs):
        shape = dims_of_operand(shape)
        return draw(xp, name, *stream(name, attrs, shape), shape, attrs["dtype"].np_dtype)

    return kernel


random_uniform = _stateful("RandomUniform")
random_standard_normal = _stateful("RandomStandardNormal")
truncated_normal = _stateful("TruncatedNormal")


@op(
    "RandomUniformInt", fits="1", shape=rules.fill, static=("shape",), grad=NO_GRADIENT, checks=(check_range,),
    naming=Naming("random_uniform"), lower=in_program(blocks_for_samples),
)
def random_uniform_int(xp, shape, minval, maxval, **attrs):
    require.scalars(minval=minval, maxval=maxval)
    shape = dims_of_operand(shape)
    return draw(xp, "RandomUniformInt", *stream("RandomUniformInt", attrs, shape), shape, minval.dtype, minval, maxval)


def _shuffled(value, key, counter, xp):
    """TensorFlow's Fisher-Yates: place i takes one of those from i on. Loops over Python ints (0.2 µs each)."""
    n = value.shape[0]
    words = philox.full_int(xp, key, counter, (n - 1,), philox.U32)
    picks = (words % np.arange(n, 1, -1, dtype=np.uint32)).tolist()
    order = list(range(n))
    for i, pick in enumerate(picks):
        j = i + pick
        order[i], order[j] = order[j], order[i]
    return value[np.array(order, np.intp)]


@op("RandomShuffle", shape=rules.same, grad=NO_GRADIENT, host=True, jit="between")
def random_shuffle(xp, value, **attrs):
    if not blocks_for_shuffle(value.shape):
        return value
    return _shuffled(value, *stream("RandomShuffle", attrs, value.shape, blocks_for_shuffle), xp)


@op("StatelessShuffle", shape=rules.same, grad=NO_GRADIENT, host=True)
def stateless_shuffle(xp, value, key, counter, alg):
    check_algorithm(int(alg))
    return _shuffled(value, key, counter, xp) if blocks_for_shuffle(value.shape) else value


@op("NonDeterministicInts", fits="1", shape=rules.fill, static=("shape",), grad=NO_GRADIENT, host=True, effect=True)
def non_deterministic_ints(xp, shape, dtype, shape_dtype=None):
    if shape.dtype not in (np.int32, np.int64):
        raise ValueError("shape must be a vector of {int32,int64}.")
    if dtype.name not in ("int32", "int64", "uint32", "uint64"):
        raise ValueError(f"dtype must be an integer of 32 or 64 bits. Received: {dtype.name}")
    dims = dims_of_operand(shape)
    count = int(np.prod(dims))
    return np.frombuffer(os.urandom(count * dtype.np_dtype.itemsize), dtype.np_dtype).reshape(dims).copy()


# --- categorical ------------------------------------------------------------------------------------------------------


def _categorical_shape(f):
    dims, count = f.shapes[0], f.values[1]
    return [(None if dims is None else dims[0], count if isinstance(count, int) else None)]


def categorical(xp, key, counter, logits, num_samples, dtype):
    """Class numbers drawn with probabilities softmax(logits), by the inverse of the summed probabilities, in float64.

    A row uses two words a sample, and rows follow one another without a gap (TensorFlow with one thread).
    """
    batch, classes = logits.shape
    if not batch * num_samples:
        return xp.zeros((batch, num_samples), dtype)
    x = xp.cast(xp.cast(logits, F32) if is_narrow(logits.dtype) else logits, F64)
    finite = xp.isfinite(x)
    low = xp.full((), float(np.finfo(np.float32 if is_narrow(logits.dtype) else logits.dtype).min), F64)
    top = xp.max(xp.select(finite, x, low), 1, True)
    weights = xp.select(finite, xp.exp(xp.subtract(x, top)), xp.const(0, x))
    cdf = xp.cumsum(weights, 1)
    total = xp.slice(cdf, (0, classes - 1), (batch, 1))
    wanted = xp.multiply(philox.uniform(xp, key, counter, (batch, num_samples), F64), total)
    return xp.searchsorted(cdf, wanted, "right", dtype)


def _check_logits(xp, attrs, logits, num_samples, *seed):
    shape = xp.shape(logits)
    if len(shape) != 2:
        return [(False, f"logits should be a matrix, got shape {rules.text(shape)}")]
    return [
        (bool(int(num_samples) >= 0), f"num_samples should be nonnegative, got {num_samples}"),
        (shape[1] > 0, f"num_classes should be positive, got {shape[1]}"),
    ]


@op(
    "Multinomial", fits="2 0", shape=_categorical_shape, static=("num_samples",), grad=NO_GRADIENT,
    checks=(_check_logits,), lower=in_program(blocks_for_categories),
)
def multinomial(xp, logits, num_samples, **attrs):
    shape = (logits.shape[0], int(num_samples))
    dtype = attrs["output_dtype"].np_dtype if "output_dtype" in attrs else I64
    return categorical(xp, *stream("Multinomial", attrs, shape, blocks_for_categories), logits, shape[1], dtype)


@op(
    "StatelessMultinomial", fits="2 0 [2]", shape=_categorical_shape, static=("num_samples",), grad=NO_GRADIENT,
    checks=(_check_logits,),
)
def stateless_multinomial(xp, logits, num_samples, seed, output_dtype=None):
    dtype = output_dtype.np_dtype if output_dtype is not None else I64
    return categorical(xp, *philox.scramble(xp, seed), logits, int(num_samples), dtype)


# --- stateless --------------------------------------------------------------------------------------------------------


def check_algorithm(alg: int):
    if alg == THREEFRY:
        raise errors.UnimplementedError(None, None, "Non-XLA devices don't support the ThreeFry algorithm.")
    if alg not in (PHILOX, AUTO_SELECT):
        raise errors.InvalidArgumentError(None, None, f"Unsupported algorithm id: {alg}")


def _stateless(name, distribution):
    """`name`V2, which takes a key and a counter, and `name`, which takes a seed."""
    default = np.dtype(np.uint64) if distribution is philox.full_int else F32

    @op(name + "V2", fits="1 [1] 1 0", shape=rules.fill, static=("shape", "alg"), grad=NO_GRADIENT)
    def v2(xp, shape, key, counter, alg, dtype=None, Tshape=None):
        check_algorithm(int(alg))
        return distribution(xp, key, counter, dims_of_operand(shape), default if dtype is None else dtype.np_dtype)

    @op(name, fits="1 [2]", shape=rules.fill, static=("shape",), grad=NO_GRADIENT)
    def v1(xp, shape, seed, dtype=None, T=None, Tseed=None):
        return distribution(
            xp, *philox.scramble(xp, seed), dims_of_operand(shape), default if dtype is None else dtype.np_dtype
        )

    return v2, v1


_stateless("StatelessRandomUniform", philox.uniform)
_stateless("StatelessRandomNormal", philox.normal)
_stateless("StatelessTruncatedNormal", philox.truncated_normal)
_stateless("StatelessRandomUniformFullInt", philox.full_int)


@op(
    "StatelessRandomUniformIntV2", fits="1 [1] 1 0", shape=rules.fill, static=("shape", "alg"), grad=NO_GRADIENT,
    checks=(check_range,),
)
def stateless_uniform_int_v2(xp, shape, key, counter, alg, minval, maxval):
    require.scalars(minval=minval, maxval=maxval)
    check_algorithm(int(alg))
    return philox.uniform_int(xp, key, counter, dims_of_operand(shape), minval.dtype, minval, maxval)


@op(
    "StatelessRandomUniformInt", fits="1 [2]", shape=rules.fill, static=("shape",), grad=NO_GRADIENT,
    checks=(check_range,),
)
def stateless_uniform_int(xp, shape, seed, minval, maxval):
    require.scalars(minval=minval, maxval=maxval)
    return philox.uniform_int(xp, *philox.scramble(xp, seed), dims_of_operand(shape), minval.dtype, minval, maxval)


@op("StatelessRandomGetKeyCounter", fits="[2]", shape=lambda f: [(1,), (2,)], grad=NO_GRADIENT)
def get_key_counter(xp, seed):
    return philox.scramble(xp, seed)


@op("StatelessRandomGetKeyCounterAlg", fits="[2]", shape=lambda f: [(1,), (2,), ()], grad=NO_GRADIENT)
def get_key_counter_alg(xp, seed):
    return *philox.scramble(xp, seed), xp.full((), PHILOX, I32)


@op("StatelessRandomGetAlg", shape=rules.scalar, grad=NO_GRADIENT, pure=True)
def get_alg(xp):
    return xp.full((), PHILOX, I32)


# --- generators: state in a variable ----------------------------------------------------------------------------------


def advance_state(resource, delta: int) -> np.ndarray:
    """Move the counter in an int64[3] variable on by `delta` outputs; returns the state before."""
    with commit_lock:
        return _advance(resource, delta)


def _advance(resource, delta: int) -> np.ndarray:
    old = np.asarray(resource.read())
    if old.shape != (3,):
        raise errors.InvalidArgumentError(
            None, None, f"For the Philox algorithm, the size of state must be at least 3; got {old.size}"
        )
    words = old.view(np.uint64)
    counter = philox.skip(int(words[0]) | int(words[1]) << 64, delta * 256)
    new = np.array([*philox.counter_array(counter), words[2]], np.uint64).view(np.int64)
    resource.write(new)
    return old


@op("RngReadAndSkip", shape=lambda f: [(3,)], grad=NO_GRADIENT, host=True, writes=("resource",), jit="between")
def rng_read_and_skip(_, resource: HostObject, alg, delta):
    check_algorithm(int(alg))
    return np.array(advance_state(resource, int(delta)))


@op("RngSkip", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, writes=("resource",), jit="between")
def rng_skip(_, resource: HostObject, algorithm, delta):
    check_algorithm(int(algorithm))
    advance_state(resource, int(delta))
    return ()
