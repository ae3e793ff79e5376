"""`RandomIndexShuffle`: the position of an index in a random permutation that is never materialized.

The permutation is a block cipher (Simon) on an even number of bits, at least 16, that can represent `max_index`. A
result beyond `max_index` is encrypted again until it is inside; so the numbers up to `max_index` are permuted among
themselves.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from reflow.core import errors
from reflow.ops.registry import NO_GRADIENT, op

_ROUND_CONSTANT, _SEQUENCE = 0xFFFFFFFC, 0x7369F885192C0EF5
_LEAST_BITS = 16


def _rotated(x: Any, by: int, bits: int) -> Any:
    """A word of so many bits turned to the left; to the right if `by` is negative."""
    by %= bits
    return ((x << by) | (x >> (bits - by))) & ((1 << bits) - 1)


def _round_keys(key: Sequence[int], rounds: int, bits: int) -> list[int]:
    mask = (1 << bits) - 1
    keys, sequence = [word & mask for word in key], _SEQUENCE & mask
    for _ in range(3, rounds):
        turned = _rotated(keys[-1], -3, bits) ^ _rotated(keys[-1], -4, bits)
        keys.append((_ROUND_CONSTANT & mask) ^ (sequence & 1) ^ keys[-3] ^ turned)
        sequence >>= 1
    return keys


def _mixed(x: Any, bits: int) -> Any:
    return (_rotated(x, 1, bits) & _rotated(x, 8, bits)) ^ _rotated(x, 2, bits)


def _encrypted(value: Any, keys: list[int], bits: int) -> Any:
    """A number of twice so many bits, or an array of them, encrypted."""
    left, right = value >> bits, value & ((1 << bits) - 1)
    for first, second in zip(keys[::2], keys[1::2], strict=True):
        left = left ^ _mixed(right, bits) ^ first
        right = right ^ _mixed(left, bits) ^ second
    return (left << bits) | right


@functools.lru_cache(maxsize=16)
def _small_table(key: tuple[int, ...], rounds: int) -> list[int]:
    """All numbers of 16 bits encrypted: where few of them are inside, thousands of steps may be needed."""
    bits = _LEAST_BITS // 2
    return _encrypted(np.arange(1 << _LEAST_BITS), _round_keys(key, rounds, bits), bits).tolist()


def _place(index: int, key: tuple[int, ...], max_index: int, rounds: int) -> int:
    """Where one index goes."""
    needed = (max_index - 1).bit_length() if max_index > 0 else 0  # the logarithm to the base 2, rounded up
    bits = max(_LEAST_BITS, needed + needed % 2) // 2
    if bits == _LEAST_BITS // 2:
        step = _small_table(key, rounds).__getitem__
    else:
        keys = _round_keys(key, rounds, bits)
        step = functools.partial(_encrypted, keys=keys, bits=bits)
    index = step(index)
    while index > max_index:
        index = step(index)
    return index


def _shape(f):
    index, seed, max_index = f.shapes
    if None in (index, seed, max_index):
        return [None]
    sizes = [dims[0] for dims, rank in ((index, 1), (seed, 2), (max_index, 1)) if len(dims) == rank]
    return [(next((n for n in sizes if n is not None), None),) if sizes else ()]


@op("RandomIndexShuffle", shape=_shape, grad=NO_GRADIENT, host=True)
def random_index_shuffle(_, index, seed, max_index, rounds=4):
    if rounds < 4 or rounds % 2:
        raise errors.InvalidArgumentError(None, None, f"rounds must be even and at least 4, got {rounds}")
    if seed.ndim not in (1, 2) or seed.shape[-1] != 3:
        raise errors.InvalidArgumentError(None, None, f"seed must have shape [3] or [n, 3], got {list(seed.shape)}")
    batch = np.broadcast_shapes(index.shape, seed.shape[:-1], max_index.shape)
    indices, limits = (np.broadcast_to(x, batch).reshape(-1).tolist() for x in (index, max_index))
    seeds = np.broadcast_to(seed, (*batch, 3)).reshape(-1, 3).astype(np.uint32).tolist()
    for i, limit in zip(indices, limits, strict=True):
        if not 0 <= i <= limit:
            raise errors.InvalidArgumentError(None, None, f"index must be in the range [0, {limit}], got {i}")
    found = [_place(i, tuple(key), limit, rounds) for i, key, limit in zip(indices, seeds, limits, strict=True)]
    return np.array(found, index.dtype).reshape(batch)
