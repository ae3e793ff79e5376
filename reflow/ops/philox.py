"""TensorFlow's random numbers: Philox 4x32-10, and how its 32-bit words become samples.

Philox is a function of a *counter* (128 bits) under a *key* (64 bits); it returns a *block* of four 32-bit words. A
stream of blocks is an incrementing counter. All conventions are TensorFlow's:

- Keys and counters are arrays of uint64: `key` of one element, `counter` of two, low half first.
- A sample takes words from its block in order: one word (float32, float16, bfloat16, int32, uint32) or two
  (float64, int64, uint64). A block serves one output group, so sample i depends on i alone, not on the number of
  threads.
- Floats in [0, 1) put random bits into the mantissa of a number in [1, 2) and subtract 1.
- Normal samples come in pairs, by the Box-Muller transform. Angles and logarithms are computed in float64 and rounded,
  so that host and XLA agree and lie within one unit in the last place of TensorFlow's `sincosf`.
- A truncated normal sample is a normal one below 2 in absolute value. Each group of outputs owns a region of 64 blocks
  per output and takes the first samples of it that are small enough.

Everything here is written against the array namespace `xp`, without loops over samples, and gives the same numbers on
the host and in a program. The generator itself has a second, faster implementation for arrays (`_philox_host`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from reflow.core.types import Array
from reflow.ops.protocols import Xp
from reflow.ops.shape_facts import text

Words: TypeAlias = tuple[Array, ...]  # the four words of each block, or some of them

U16, U32, U64 = np.dtype(np.uint16), np.dtype(np.uint32), np.dtype(np.uint64)
F32, F64 = np.dtype(np.float32), np.dtype(np.float64)

_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10
_MASK = 0xFFFFFFFF
_FEW = 16  # blocks: 5 µs each as Python ints, 110 µs for any number as arrays
_SCRAMBLE_KEY = 0x02461E293EC8F720
#: 128-bit blocks per output in a region of a truncated distribution
REGION = 64
#: the number of blocks of its region that a group considers. The probability that fewer than four of 16 normal samples
#: (two of 16 in float64) are within two deviations is 2e-15 (1e-19).
_TRIES = {4: 4, 2: 8}
_HOST_CHUNK = 1 << 13  # blocks at a time on the host: the words stay in the second-level cache


def words_per_sample(dtype: np.dtype) -> int:
    return 2 if dtype.itemsize == 8 else 1


def samples_per_block(dtype: np.dtype) -> int:
    return 4 // words_per_sample(dtype)


# --- the generator ---------------------------------------------------------------------------------------------------


def _halves(xp: Xp, x: Array) -> tuple[Array, Array]:
    """The low and high 32 bits of uint64 numbers."""
    return xp.cast(x, U32), xp.cast(xp.right_shift(x, xp.const(32, x)), U32)


def _join(xp: Xp, low: Array, high: Array) -> Array:
    high = xp.cast(high, U64)
    return xp.bitwise_or(xp.cast(low, U64), xp.left_shift(high, xp.const(32, high)))


def _round(xp: Xp, c: Words, k: tuple[Array, Array]) -> Words:
    """One round: two products of 32-bit words, crossed and mixed with the key."""
    wide = [xp.cast(c[0], U64), xp.cast(c[2], U64)]
    (lo0, hi0), (lo1, hi1) = [
        _halves(xp, xp.multiply(w, xp.const(m, w))) for w, m in zip(wide, _MULTIPLIERS, strict=True)
    ]
    return (xp.bitwise_xor(xp.bitwise_xor(hi1, c[1]), k[0]), lo1, xp.bitwise_xor(xp.bitwise_xor(hi0, c[3]), k[1]), lo0)


def philox(xp: Xp, key: Array, low: Array, high: Array) -> Words:
    """The four words (uint32) for counters of the halves `low` and `high` (uint64, any shape) under a 0-d key."""
    if type(low) is np.ndarray and type(key) is np.ndarray:
        return _philox_host(int(key), low, high)
    c = (*_halves(xp, low), *_halves(xp, high))
    k = _halves(xp, key)
    for _ in range(_ROUNDS):
        c = _round(xp, c, k)
        k = tuple(xp.add(part, xp.const(step, part)) for part, step in zip(k, _WEYL, strict=True))
    return c


def _philox_host(key: int, low: np.ndarray, high: np.ndarray) -> Words:
    """`philox` on arrays, with about a hundred fewer NumPy calls. A few blocks are fastest as Python ints."""
    high = np.broadcast_to(high, low.shape)
    if low.size <= _FEW:
        blocks = [words_of_block(key, a, b) for a, b in zip(low.ravel().tolist(), high.ravel().tolist(), strict=True)]
        return tuple(
            np.array(words, np.uint32).reshape(low.shape)
            for words in (zip(*blocks, strict=True) if blocks else [()] * 4)
        )
    half, mask = np.uint64(32), np.uint64(_MASK)
    c0, c1, c2, c3 = low & mask, low >> half, high & mask, high >> half
    m0, m1 = (np.uint64(m) for m in _MULTIPLIERS)
    for k0, k1 in _key_schedule(key):
        p0, p1 = c0 * m0, c2 * m1
        c0, c1, c2, c3 = (p1 >> half) ^ c1 ^ np.uint64(k0), p1 & mask, (p0 >> half) ^ c3 ^ np.uint64(k1), p0 & mask
    return tuple(c.astype(np.uint32) for c in (c0, c1, c2, c3))


def words_of_block(key: int, low: int, high: int) -> tuple[int, int, int, int]:
    """`philox` of Python ints."""
    c0, c1, c2, c3 = low & _MASK, low >> 32, high & _MASK, high >> 32
    for k0, k1 in _key_schedule(key):
        p0, p1 = c0 * _MULTIPLIERS[0], c2 * _MULTIPLIERS[1]
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & _MASK, (p0 >> 32) ^ c3 ^ k1, p0 & _MASK
    return c0, c1, c2, c3


@functools.lru_cache(256)  # a random op of a function keeps its key
def _key_schedule(key: int) -> tuple[tuple[int, int], ...]:
    k0, k1 = key & _MASK, key >> 32
    return tuple([((k0 + i * _WEYL[0]) & _MASK, (k1 + i * _WEYL[1]) & _MASK) for i in range(_ROUNDS)])


def advance(xp: Xp, low: Array, high: Array, steps: Array) -> tuple[Array, Array]:
    """A counter plus `steps` (uint64, broadcasting), as (low, high)."""
    moved = xp.add(low, steps)
    carry = xp.cast(xp.less(moved, steps), U64)
    return moved, xp.add(high, carry)


def counter_halves(xp: Xp, counter: Array) -> tuple[Array, Array]:
    """The two elements of a counter array, each 0-d."""
    flat = xp.reshape(xp.slice(xp.reshape(counter, (-1,)), (0,), (2,)), (2,))
    return tuple(xp.reshape(xp.slice(flat, (i,), (1,)), ()) for i in (0, 1))


def skip(counter: int, blocks: int) -> int:
    """A counter as one 128-bit Python int, advanced."""
    return (counter + blocks) % (1 << 128)


def counter_array(counter: int) -> np.ndarray:
    """A counter as TensorFlow's ops take it: uint64[2], low half first."""
    return np.array([counter & 0xFFFFFFFFFFFFFFFF, counter >> 64], np.uint64)


def scramble(xp: Xp, seed: Array) -> tuple[Array, Array]:
    """The key (uint64[1]) and counter (uint64[2]) of a stateless op, from a seed of two integers."""
    if tuple(seed.shape) != (2,):
        raise ValueError(f"seed must have shape [2], not {text(seed.shape)}")
    if seed.dtype.kind == "u":
        raise ValueError(f"Invalid seed type: {seed.dtype.name}")
    seed = xp.cast(seed, U64)
    low, high = counter_halves(xp, seed)
    a, b, c, d = philox(xp, xp.asarray(_SCRAMBLE_KEY, U64), low, high)
    key, upper = _join(xp, a, b), _join(xp, c, d)
    return xp.reshape(key, (1,)), xp.stack([xp.zeros_like(upper), upper], 0)


def stream(xp: Xp, key: Array, counter: Array, count: int, stride: int = 1, first: int = 0) -> Words:
    """Words of `count` blocks, the first at `counter + first` and each `stride` after the last: (w0, w1, w2, w3)."""
    low, high = counter_halves(xp, counter)
    key = xp.reshape(key, ())
    steps = xp.iota(count, U64)
    if stride != 1:
        steps = xp.multiply(steps, xp.const(stride, steps))
    if first:
        steps = xp.add(steps, xp.const(first, steps))
    low, high = advance(xp, low, high, steps)
    return philox(xp, key, low, high)


# --- words to numbers ------------------------------------------------------------------------------------------------


def unit_float(xp: Xp, words: Array, dtype: np.dtype) -> Array:
    """Floats in [0, 1) from one word each (narrow and single) or two (double: high bits first)."""
    if dtype.itemsize == 8:
        first, second = words
        high = xp.bitwise_and(first, xp.const(0xFFFFF, first))
        bits = xp.bitwise_or(_join(xp, second, high), xp.asarray(1023 << 52, U64))
    elif dtype.itemsize == 4:
        bits = xp.bitwise_or(xp.bitwise_and(words, xp.const(0x7FFFFF, words)), xp.const(127 << 23, words))
    else:
        digits, one = (10, 15 << 10) if dtype.kind == "f" else (7, 127 << 7)
        half = xp.cast(words, U16)
        bits = xp.bitwise_or(xp.bitwise_and(half, xp.const((1 << digits) - 1, half)), xp.const(one, half))
    x = xp.bitcast(bits, dtype)
    return xp.subtract(x, xp.const(1, x))


def box_muller(xp: Xp, u: Array, v: Array, dtype: np.dtype) -> tuple[Array, Array]:
    """Two normal samples from two uniform ones; `dtype` is float32 or float64."""
    u = xp.maximum(u, xp.const(1e-7, u))
    angle = xp.multiply(xp.cast(v, F64), xp.asarray(2 * math.pi, F64))
    if dtype is F32:  # TensorFlow rounds the angle before taking sine and cosine
        angle = xp.cast(xp.cast(angle, F32), F64)
    log = xp.cast(xp.log(xp.cast(u, F64)), dtype)
    radius = xp.sqrt(xp.multiply(xp.const(-2, log), log))
    return tuple(xp.multiply(xp.cast(f(angle), dtype), radius) for f in (xp.sin, xp.cos))


def _pairs(xp: Xp, words: Words, wide: np.dtype) -> tuple[Array, ...]:
    """The normal samples of blocks, in order: four float32 or two float64 from four words."""
    if wide is F64:
        return box_muller(xp, unit_float(xp, words[:2], F64), unit_float(xp, words[2:], F64), F64)
    u = [unit_float(xp, w, F32) for w in words]
    return (*box_muller(xp, u[0], u[1], F32), *box_muller(xp, u[2], u[3], F32))


# --- distributions: (xp, key, counter, shape, dtype) -> samples ------------------------------------------------------


def _collect(xp: Xp, columns: Sequence[Array], shape: tuple[int, ...]) -> Array:
    """Samples of blocks, each a column, in row-major order, truncated to shape."""
    size = math.prod(shape)
    flat = xp.reshape(xp.stack(columns, 1), (-1,))
    return xp.reshape(xp.slice(flat, (0,), (size,)), shape)


def _by_blocks(
    xp: Xp, make: Callable[[Words], Sequence[Array]], key: Array, counter: Array, shape: tuple[int, ...],
    dtype: np.dtype,
) -> Array:
    """Samples from the words of as many blocks as `shape` needs; in chunks on the host."""
    size = math.prod(shape)
    count = -(-size // samples_per_block(dtype))
    if count <= _HOST_CHUNK or not isinstance(counter, np.ndarray):
        return _collect(xp, make(stream(xp, key, counter, count)), shape)
    # all memory is allocated first: a size that does not fit fails at once. The chunks write every element.
    samples = np.empty((count, samples_per_block(dtype)), dtype)
    for i in range(0, count, _HOST_CHUNK):
        chunk = make(stream(xp, key, counter, min(_HOST_CHUNK, count - i), first=i))
        samples[i : i + _HOST_CHUNK] = np.stack(chunk, 1)
    return samples.reshape(-1)[:size].reshape(shape)


def _few_floats(key: np.ndarray, counter: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """`uniform` for one block of words: a tenth of the time with Python ints, which matters for one random draw per
    image in a pipeline.
    """
    (key_int,), (low, high) = key.ravel().tolist(), counter.ravel().tolist()[:2]
    words = words_of_block(key_int, low, high)[: math.prod(shape)]
    return np.array([(word & 0x7FFFFF) / 2**23 for word in words], F32).reshape(shape)


def uniform(xp: Xp, key: Array, counter: Array, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """Floats in [0, 1)."""
    if dtype is F32 and math.prod(shape) <= 4 and isinstance(key, np.ndarray) and isinstance(counter, np.ndarray):
        return _few_floats(key, counter, shape)

    def make(words: Words) -> list[Array]:
        if dtype.itemsize == 8:
            return [unit_float(xp, words[:2], dtype), unit_float(xp, words[2:], dtype)]
        return [unit_float(xp, w, dtype) for w in words]

    return _by_blocks(xp, make, key, counter, shape, dtype)


def normal(xp: Xp, key: Array, counter: Array, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """Standard normal floats."""
    wide = F64 if dtype.itemsize == 8 else F32

    def make(words: Words) -> list[Array]:
        return [xp.cast(z, dtype) for z in _pairs(xp, words, wide)]

    return _by_blocks(xp, make, key, counter, shape, dtype)


def full_int(xp: Xp, key: Array, counter: Array, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """Integers over the whole range of `dtype`."""

    def make(words: Words) -> list[Array]:
        if dtype.itemsize == 8:
            return [xp.cast(_join(xp, *words[:2]), dtype), xp.cast(_join(xp, *words[2:]), dtype)]
        return [xp.cast(w, dtype) for w in words]

    return _by_blocks(xp, make, key, counter, shape, dtype)


def uniform_int(
    xp: Xp, key: Array, counter: Array, shape: tuple[int, ...], dtype: np.dtype, low: Array, high: Array
) -> Array:
    """Integers in [low, high), which are 0-d arrays of `dtype`; all arithmetic wraps."""
    unsigned = U64 if dtype.itemsize == 8 else U32
    bits = full_int(xp, key, counter, shape, unsigned)
    start = xp.cast(low, unsigned)
    span = xp.subtract(xp.cast(high, unsigned), start)
    span = xp.maximum(span, xp.const(1, span))  # the op's check rejects an empty range
    return xp.cast(xp.add(start, xp.floor_mod(bits, span)), dtype)


def truncated_normal(xp: Xp, key: Array, counter: Array, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """Normal floats within two deviations."""
    wide = F64 if dtype.itemsize == 8 else F32
    group = samples_per_block(dtype)
    rows = -(-math.prod(shape) // group)
    low, high = counter_halves(xp, counter)
    steps = xp.iota(rows, U64)
    low, high = advance(xp, low, high, xp.multiply(steps, xp.const(group * REGION, steps)))
    key = xp.reshape(key, ())
    if isinstance(low, np.ndarray):
        picked = _truncated_host(xp, key, low, high, group, wide)
    else:
        picked = _first_good(xp, _candidates(xp, key, low, high, _TRIES[group], wide), group)
    return xp.cast(_collect(xp, picked, shape), dtype)


def _candidates(xp: Xp, key: Array, low: Array, high: Array, blocks: int, wide: np.dtype) -> Array:
    """Normal samples from the first blocks of each region, [rows, blocks * samples per block]."""
    rows = low.shape[0]
    steps = xp.reshape(xp.iota(blocks, U64), (1, blocks))
    low, high = advance(xp, xp.reshape(low, (rows, 1)), xp.reshape(high, (rows, 1)), steps)
    samples = _pairs(xp, philox(xp, key, low, high), wide)
    return xp.reshape(xp.stack(samples, 2), (rows, blocks * len(samples)))


def _first_good(xp: Xp, z: Array, group: int) -> list[Array]:
    """The first `group` samples of each row within two deviations, as columns."""
    good = xp.less(xp.abs(z), xp.const(2, z))
    place = xp.cumsum(xp.cast(good, np.dtype(np.int32)), 1)
    zero = xp.const(0, z)
    return [
        xp.sum(xp.select(xp.logical_and(good, xp.equal(place, xp.const(j + 1, place))), z, zero), 1)
        for j in range(group)
    ]


def _truncated_host(xp: Xp, key: Array, low: Array, high: Array, group: int, wide: np.dtype) -> list[np.ndarray]:
    """Truncated normals on the host. One block is tried first: 83 of 100 groups (91 in float64) need no second one."""
    columns = [np.empty(low.shape, wide) for _ in range(group)]  # every element is written: the chunks cover the rows
    for start in range(0, low.size, _HOST_CHUNK):
        rows = slice(start, start + _HOST_CHUNK)
        z = _candidates(xp, key, low[rows], high[rows], 1, wide)
        for j in range(group):
            columns[j][rows] = z[:, j]
        more = start + np.flatnonzero((np.abs(z) >= 2).any(1))
        picked = _first_good(xp, _candidates(xp, key, low[more], high[more], _TRIES[group], wide), group)
        for column, values in zip(columns, picked, strict=True):
            column[more] = values
    return columns
