"""`tensorflow.python.distribute.v1.all_reduce`: graphs that reduce a tensor of each device over all devices, for
version 1's programs.

Each function takes one tensor per device and returns the reduced tensor for each device. They differ in who sends what
to whom:

- *ring*: devices pass chunks to their neighbours, first to add them up, then to spread the sums
- *recursive halving and doubling*: pairs of devices at growing distances exchange halves
- *shuffle*: some devices collect and reduce a shard each
- hybrids shuffle within each worker, then use another way between workers
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from reflow.api.array import arrange, indexing
from reflow.api.config import device

_TASK = re.compile(r"/replica:\d+/task:\d+")


def _flatten_tensors(tensors: list) -> tuple[list, Any]:
    """The tensors as vectors, and their common shape."""
    if not tensors:
        raise ValueError("tensors cannot be empty")
    shape = tensors[0].shape
    for tensor in tensors:
        shape = shape.merge_with(tensor.shape)
    if not shape.is_fully_defined():
        raise ValueError("Tensors must have statically known shape.")
    return (list(tensors) if len(shape) == 1 else _reshape_tensors(tensors, [-1])), shape


def _reshape_tensors(tensors: list, shape: Any) -> list:
    """The tensors in a shape, each on its device."""
    return [_on(t.device, arrange.reshape, t, shape) for t in tensors]


def _on(where: str, function: Callable, *args: Any) -> Any:
    """A function's result, computed on a device."""
    with device(where):
        return function(*args)


def _padded_split(tensor: Any, pieces: int) -> tuple[list, int]:
    """(equal pieces of a vector, how many zeros were added to its end for that)."""
    if len(tensor.shape) != 1:
        raise ValueError("input tensor must be 1D")
    padding = -tensor.shape[0] % pieces
    with device(tensor.device):
        padded = arrange.pad(tensor, [[0, padding]]) if padding else tensor
        return arrange.split(padded, pieces), padding


def _strip_padding(tensors: list, pad_len: int) -> list:
    """Vectors without their last elements."""
    if any(len(t.shape) != 1 for t in tensors):
        raise ValueError("tensors must be 1D")
    return [_on(t.device, indexing.slice, t, [0], [t.shape[0] - pad_len]) for t in tensors]


def _ragged_split(tensor: Any, pieces: int) -> list:
    """Pieces of a vector, of which the last is longer where its size is not a multiple of theirs."""
    if len(tensor.shape) != 1:
        raise ValueError("input tensor must be 1D")
    size = tensor.shape[0] // pieces
    sizes = [size] * (pieces - 1) + [tensor.shape[0] - size * (pieces - 1)]
    return _on(tensor.device, arrange.split, tensor, sizes)


def _ring_permutations(
    num_workers: int, num_subchunks: int, gpu_perm: list[int]
) -> tuple[list[list[int]], list[list[int]]]:
    """(the device before each device, its rank) in the ring of each subchunk. The rings of subchunks start at different
    devices of a worker, so that these send at the same time."""
    count = len(gpu_perm)
    if num_subchunks > count:
        raise ValueError(f"num_subchunks {num_subchunks} must be <= num_gpus {count}")
    offset = max(1, count // num_subchunks)
    before, ranks = [], []
    for subchunk in range(num_subchunks):
        turned = [gpu_perm[(subchunk * offset + i) % count] for i in range(count)]
        ring = [worker * count + gpu for worker in range(num_workers) for gpu in turned]
        rank = {one: i for i, one in enumerate(ring)}
        before.append([ring[rank[one] - 1] for one in range(len(ring))])
        ranks.append([rank[one] for one in range(len(ring))])
    return before, ranks


def build_ring_all_reduce(
    input_tensors: list, num_workers: int, num_subchunks: int, gpu_perm: list[int], red_op: Callable,
    un_op: Callable | None = None,
) -> list:
    """Reduce by rings, in which neighbours add up chunks with `red_op(a, b)`; `un_op` is applied to what comes out.

    `gpu_perm` is the order of the devices of each worker; each chunk has `num_subchunks` parts with rings of their
    own."""
    if len(input_tensors) < 2:
        raise ValueError("input_tensors must be length 2 or longer")
    vectors, shape = _flatten_tensors(input_tensors)
    devices = [t.device for t in vectors]
    before, ranks = _ring_permutations(num_workers, num_subchunks, gpu_perm)
    split = [_padded_split(t, num_subchunks * len(devices)) for t in vectors]
    chunks = [pieces for pieces, _ in split]
    _pass_around(chunks, devices, before, ranks, 2, red_op)
    if un_op is not None:
        chunks = [[_on(where, un_op, chunk) for chunk in pieces] for where, pieces in zip(devices, chunks, strict=True)]
    _pass_around(chunks, devices, before, ranks, 1, lambda given, own: arrange.identity(given))
    joined = [_on(where, arrange.concat, pieces, 0) for where, pieces in zip(devices, chunks, strict=True)]
    padding = split[0][1]
    return _in_shape(_strip_padding(joined, padding) if padding else joined, shape)


def _pass_around(
    chunks: list[list], devices: list[str], before: list, ranks: list, lead: int, combine: Callable
) -> None:
    """Let each device, once for each other one, replace a chunk by what it and the one before it in the ring have. The
    first chunk is `lead` places before the device's own."""
    count = len(devices)
    for step in range(count - 1):
        news = []
        for subchunk, (previous, rank) in enumerate(zip(before, ranks, strict=True)):
            for one, where in enumerate(devices):
                at = subchunk * count + (rank[one] - lead - step) % count
                news.append((one, at, _on(where, combine, chunks[previous[one]][at], chunks[one][at])))
        for one, at, chunk in news:
            chunks[one][at] = chunk


def _in_shape(vectors: list, shape: Any) -> list:
    return vectors if len(shape) == 1 else _reshape_tensors(vectors, shape)


def build_recursive_hd_all_reduce(input_tensors: list, red_op: Callable, un_op: Callable | None = None) -> list:
    """Reduce by recursive halving and doubling.

    The number of tensors is a power of two, and their sizes are multiples of it.
    """
    vectors, shape = _flatten_tensors(input_tensors)
    devices = [t.device for t in vectors]
    count = len(devices)
    if count & (count - 1):
        raise ValueError("num_devices must be a power of 2")
    spans = [2**i for i in range(count.bit_length() - 1)]
    for span in spans:
        for left in (i for i in range(count) if not i & span):
            right = left + span
            halves = [_on(devices[i], arrange.split, vectors[i], 2) for i in (left, right)]
            for i, part in ((left, 0), (right, 1)):
                vectors[i] = _on(devices[i], red_op, halves[0][part], halves[1][part])
    if un_op is not None:
        vectors = [_on(where, un_op, t) for where, t in zip(devices, vectors, strict=True)]
    for span in reversed(spans):
        for left in (i for i in range(count) if not i & span):
            both = [vectors[left], vectors[left + span]]
            for i in (left, left + span):
                vectors[i] = _on(devices[i], arrange.concat, both, 0)
    return _in_shape(vectors, shape)


def build_shuffle_all_reduce(
    input_tensors: list, gather_devices: list[str], red_op: Callable, un_op: Callable | None = None
) -> list:
    """Reduce by shards: each of `gather_devices` computes `red_op` of a list of one shard of each tensor."""
    vectors, shape = _flatten_tensors(input_tensors)
    reduced = _build_shuffle_gather(vectors, gather_devices, red_op, un_op)
    return _in_shape(_build_shuffle_scatter(reduced, [t.device for t in vectors]), shape)


def _build_shuffle_gather(
    vectors: list, gather_devices: list[str], red_op: Callable, un_op: Callable | None = None
) -> list:
    """The reduced shards, one on each of some devices."""
    shards = [_ragged_split(t, len(gather_devices)) for t in vectors]
    finished = un_op or (lambda shard: shard)
    return [
        _on(where, lambda values: finished(red_op(values)), [split[i] for split in shards])
        for i, where in enumerate(gather_devices)
    ]


def _build_shuffle_scatter(reduced_shards: list, dst_devices: list[str]) -> list:
    """All shards, joined on each device."""
    return [_on(where, arrange.concat, reduced_shards, 0) for where in dst_devices]


def _split_by_task(devices: list[str], values: list) -> tuple[list[list[str]], list[list]]:
    """(devices, values) of each task."""
    if len(devices) != len(values):
        raise ValueError("len(devices) must equal len(values)")
    tasks: dict[str, tuple[list, list]] = {}
    for where, value in zip(devices, values, strict=True):
        found = _TASK.search(where)
        assert found, f"failed to parse device {where}"
        group = tasks.setdefault(where[: found.end()], ([], []))
        group[0].append(where)
        group[1].append(value)
    return [group[0] for group in tasks.values()], [group[1] for group in tasks.values()]


def _reduce_non_singleton(input_tensors: list, red_f: Callable, un_op: Callable | None) -> list:
    """`red_f` of several tensors; one tensor only goes through `un_op`."""
    if len(input_tensors) > 1:
        return red_f(input_tensors)
    return [_on(t.device, un_op, t) for t in input_tensors] if un_op else input_tensors


def _build_shuffle_hybrid(
    input_tensors: list, gather_devices: list[str], red_op: Callable, upper_level_f: Callable
) -> list:
    """Reduce within each worker on its one of `gather_devices`, then between workers as `upper_level_f` does."""
    vectors, shape = _flatten_tensors(input_tensors)
    worker_devices, worker_values = _split_by_task([t.device for t in vectors], vectors)
    if len(worker_devices) != len(gather_devices):
        raise ValueError("For shuffle hybrid, gather_devices must contain one device per worker. ")
    sums = [
        _build_shuffle_gather(values, [where], red_op)[0]
        for values, where in zip(worker_values, gather_devices, strict=True)
    ]
    totals = zip(upper_level_f(sums), worker_devices, strict=True)
    return _in_shape([t for total, devices in totals for t in _build_shuffle_scatter([total], devices)], shape)


def build_shuffle_then_ring(
    input_tensors: list, gather_devices: list[str], subdiv: int, red_n_op: Callable, red_op: Callable,
    un_op: Callable | None = None,
) -> list:
    """Shuffle within workers, with `red_n_op` of a list; a ring between them, with `red_op(a, b)`."""

    def ring(tensors: list) -> list:
        return build_ring_all_reduce(tensors, len(tensors), subdiv, [0], red_op, un_op)

    return _build_shuffle_hybrid(
        input_tensors, gather_devices, red_n_op, lambda tensors: _reduce_non_singleton(tensors, ring, un_op)
    )


def build_shuffle_then_shuffle(
    input_tensors: list, first_gather_devices: list[str], second_gather_devices: list[str], red_op: Callable,
    un_op: Callable | None = None,
) -> list:
    """Shuffle within workers, then between them."""

    def shuffle(tensors: list) -> list:
        return build_shuffle_all_reduce(tensors, second_gather_devices, red_op, un_op)

    return _build_shuffle_hybrid(
        input_tensors, first_gather_devices, red_op, lambda tensors: _reduce_non_singleton(tensors, shuffle, un_op)
    )
