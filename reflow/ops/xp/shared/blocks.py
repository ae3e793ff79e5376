"""Moves blocks of elements between axes, and reverses parts of rows, for `xp.host` and `xp.xla`."""

from __future__ import annotations

import math

import numpy as np

from reflow.core.types import Array, Static
from reflow.ops.protocols import Xp


def space_to_batch_by(xp: Xp, x: Array, block: Static, paddings: Static) -> Array:
    """Pads the axes after the first, splits them into blocks, and moves each block's offset to the batch axis."""
    block, pairs = block.tolist(), paddings.tolist()
    if len(x.shape) < len(block) + 1:
        raise ValueError(f"input rank should be >= {len(block) + 1} instead of {len(x.shape)}")
    rest = x.shape[len(block) + 1 :]
    x = xp.pad(x, [(0, 0), *pairs, *[(0, 0)] * len(rest)], np.zeros((), x.dtype))
    split = [x.shape[0]]
    for i, (n, b) in enumerate(zip(x.shape[1:], block, strict=False)):
        if n % b:
            raise ValueError(f"padded_shape[{i}]={n} is not divisible by block_shape[{i}]={b}")
        split += [n // b, b]
    x = xp.reshape(x, (*split, *rest))
    count = len(block)
    offsets = [2 + 2 * i for i in range(count)]
    kept = [1 + 2 * i for i in range(count)]
    x = xp.transpose(x, (*offsets, 0, *kept, *range(2 * count + 1, len(x.shape))))
    return xp.reshape(x, (split[0] * math.prod(block), *split[1::2], *rest))


def batch_to_space_by(xp: Xp, x: Array, block: Static, crops: Static) -> Array:
    """The inverse: offsets move from the batch axis to the axes after it, which are then cropped."""
    block, pairs = block.tolist(), crops.tolist()
    count, rest = len(block), x.shape[len(block) + 1 :]
    if x.shape[0] % math.prod(block):
        raise ValueError(
            f"Input batch dimension ({x.shape[0]}) is not divisible by product of block sizes ({math.prod(block)})"
        )
    batch, spatial = x.shape[0] // math.prod(block), x.shape[1 : count + 1]
    x = xp.reshape(x, (*block, batch, *spatial, *rest))
    order = [count]
    for i in range(count):
        order += [count + 1 + i, i]
    x = xp.transpose(x, (*order, *range(2 * count + 1, 2 * count + 1 + len(rest))))
    sizes = [n * b for n, b in zip(spatial, block, strict=True)]
    x = xp.reshape(x, (batch, *sizes, *rest))
    if not any(before or after for before, after in pairs):
        return x
    if min(min(pair) for pair in pairs) < 0:
        raise ValueError("Crops must be non-negative")
    kept = [n - before - after for n, (before, after) in zip(sizes, pairs, strict=True)]
    if min(kept) < 0:
        raise ValueError(f"crops {pairs} leave nothing of {sizes}")
    return xp.slice(x, (0, *[before for before, _ in pairs], *[0] * len(rest)), (batch, *kept, *rest))


def space_to_depth(xp: Xp, x: Array, block: Static, data_format: str) -> Array:
    if data_format == "NCHW":
        n, c, h, w = x.shape
        x = xp.reshape(x, (n, c, h // block, block, w // block, block))
        return xp.reshape(xp.transpose(x, (0, 3, 5, 1, 2, 4)), (n, c * block * block, h // block, w // block))
    n, h, w, c = x.shape
    x = xp.reshape(x, (n, h // block, block, w // block, block, c))
    return xp.reshape(xp.transpose(x, (0, 1, 3, 2, 4, 5)), (n, h // block, w // block, c * block * block))


def depth_to_space(xp: Xp, x: Array, block: Static, data_format: str) -> Array:
    if data_format == "NCHW":
        n, c, h, w = x.shape
        x = xp.reshape(x, (n, block, block, c // (block * block), h, w))
        return xp.reshape(xp.transpose(x, (0, 3, 4, 1, 5, 2)), (n, c // (block * block), h * block, w * block))
    n, h, w, c = x.shape
    x = xp.reshape(x, (n, h, w, block, block, c // (block * block)))
    return xp.reshape(xp.transpose(x, (0, 1, 3, 2, 4, 5)), (n, h * block, w * block, c // (block * block)))


def reverse_sequence(xp: Xp, x: Array, lengths: Static, seq: Static, batch: Static) -> Array:
    """The first lengths[i] elements of each row i of axis `batch` backwards along axis `seq`."""
    count = len(x.shape)
    seq, batch = seq % count, batch % count
    order = [batch, seq, *[i for i in range(count) if i not in (batch, seq)]]
    moved = xp.transpose(x, order)
    lengths = xp.reshape(xp.cast(lengths, np.dtype(np.int64)), (x.shape[batch], 1))
    places = xp.reshape(xp.iota(x.shape[seq], np.dtype(np.int64)), (1, x.shape[seq]))
    mirrored = xp.subtract(xp.subtract(lengths, np.array(1, np.int64)), places)
    indices = xp.select(xp.less(places, lengths), mirrored, places)
    return xp.transpose(xp.take(moved, indices, 1, 1), [order.index(i) for i in range(count)])
