"""Collectives of processes: `hvd.allreduce`, `allgather`, `broadcast`, `alltoall`, `reducescatter`, objects."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from reflow.api.array.arrange import concat, reshape, split, stack
from reflow.api.array.creation import zeros_like
from reflow.api.gradients import custom_gradient
from reflow.api.math.arithmetic import cast
from reflow.api.math.reduce import reduce_max, reduce_min, reduce_prod
from reflow.core import dtypes, nest
from reflow.core.indexed_slices import IndexedSlices
from reflow.distribute.collectives import gather_over_processes, sum_over_processes
from reflow.horovod.processes import rank, size
from reflow.ops.convert import convert_to_tensor

Average, Sum, Adasum, Min, Max, Product = range(6)
_BY_GATHERING = {Min: reduce_min, Max: reduce_max, Product: reduce_prod}


class NoneCompressor:
    """Sends values as they are."""

    @staticmethod
    def compress(tensor):
        return tensor, None

    @staticmethod
    def decompress(tensor, context):
        return tensor


class FP16Compressor:
    """Sends floats of more than 16 bits as `float16`."""

    @staticmethod
    def compress(tensor):
        wide = tensor.dtype.is_floating and tensor.dtype.size > 2
        return (cast(tensor, dtypes.float16), tensor.dtype) if wide else (tensor, None)

    @staticmethod
    def decompress(tensor, context):
        return tensor if context is None else cast(tensor, context)


class Compression:
    """How values travel: `Compression.none` or `Compression.fp16`."""

    none = NoneCompressor
    fp16 = FP16Compressor


def _operation(average, op) -> int:
    if average is not None:
        if op is not None:
            raise ValueError("The op parameter supersedes average. Please provide only one of them.")
        return Average if average else Sum
    op = Average if op is None else op
    if op == Adasum:
        raise NotImplementedError("hvd.Adasum is not supported: use hvd.Average or hvd.Sum.")
    if op not in range(6):
        raise ValueError(f"`op` must be one of hvd.Average, hvd.Sum, hvd.Min, hvd.Max, hvd.Product. Received: {op!r}")
    return op


def allreduce(
    tensor, average=None, compression=Compression.none, op=None, prescale_factor=1.0, postscale_factor=1.0, name=None
):
    """`tensor` of all processes as one: their mean, or what `op` says. A `tf.IndexedSlices` stays one."""
    arguments = {"average": average, "compression": compression, "op": op}
    return grouped_allreduce(
        [tensor], prescale_factor=prescale_factor, postscale_factor=postscale_factor, **arguments
    )[0]


def grouped_allreduce(
    tensors, average=None, compression=Compression.none, op=None, prescale_factor=1.0, postscale_factor=1.0, name=None
) -> list:
    """`allreduce` of several tensors, in one exchange."""
    operation = _operation(average, op)
    results: list[Any] = [None] * len(tensors)
    dense = []
    for i, tensor in enumerate(tensors):
        if isinstance(tensor, IndexedSlices):
            results[i] = _allreduce_slices(tensor, operation)
        elif tensor is not None:
            dense.append(i)
    scales = _scaled(prescale_factor), _scaled(postscale_factor)
    given = [scales[0](convert_to_tensor(tensors[i])) for i in dense]
    for i, total in zip(dense, _reduced(given, operation, compression), strict=True):
        results[i] = scales[1](total)
    return results


def _scaled(factor):
    return (lambda x: x) if factor == 1.0 else (lambda x: x * cast(factor, x.dtype))


def _allreduce_slices(slices: IndexedSlices, operation: int) -> IndexedSlices:
    if operation not in (Average, Sum):
        raise NotImplementedError("tf.IndexedSlices can be summed or averaged only.")
    values, indices = allgather(slices.values), allgather(slices.indices)
    if operation == Average:
        values = values / cast(size(), values.dtype)
    return IndexedSlices(values, indices, slices.dense_shape)


def _reduced(tensors, operation: int, compression) -> list:
    """The reduction of tensors, with a gradient: the same reduction of the gradients."""
    if not tensors or size() == 1:
        return tensors
    if operation in _BY_GATHERING:
        return [_BY_GATHERING[operation](_all(tensor), axis=0) for tensor in tensors]

    @custom_gradient
    def reduce(*flat):
        return tuple(_totals(flat, operation, compression)), lambda *dys: tuple(_totals(dys, operation, compression))

    return nest.flatten(reduce(*tensors))


def _totals(tensors, operation: int, compression) -> list:
    packed = [compression.compress(tensor) for tensor in tensors]
    totals = sum_over_processes([tensor for tensor, _ in packed])
    totals = [compression.decompress(total, context) for total, (_, context) in zip(totals, packed, strict=True)]
    return totals if operation == Sum else [_divided(total) for total in totals]


def _divided(total):
    if total.dtype.is_integer:
        return total // cast(size(), total.dtype)
    return total / cast(size(), total.dtype)


def _all(tensor):
    """The tensors of all processes along a new first axis."""
    return gather_over_processes(stack([tensor]), 0)


def _exchanged(tensor, exchange, gradient):
    """`exchange(tensor)`, with `gradient(tensor, total)` of the sum of all processes' cotangents.

    One process keeps its tensor.
    """
    tensor = convert_to_tensor(tensor)
    if size() == 1:
        return tensor

    @custom_gradient
    def exchanged(x):
        return exchange(x), lambda dy: gradient(x, sum_over_processes([dy])[0])

    return exchanged(tensor)


def allgather(tensor, name=None):
    """The tensors of all processes, concatenated along the first axis."""

    def gradient(x, total):
        sizes = gather_over_processes(convert_to_tensor([x.shape[0]]), 0)
        return split(total, sizes, 0, num=size())[rank()]

    return _exchanged(tensor, lambda x: gather_over_processes(x, 0), gradient)


def broadcast(tensor, root_rank, name=None):
    """The tensor of one process, in all of them."""
    if not 0 <= root_rank < size():
        raise ValueError(f"broadcast received invalid root rank {root_rank} for {size()} processes.")

    def of_root(x):
        return x if rank() == root_rank else zeros_like(x)

    return _exchanged(tensor, lambda x: sum_over_processes([of_root(x)])[0], lambda x, total: of_root(total))


def alltoall(tensor, splits=None, name=None):
    """Send a part of the first axis to each process, and get one from each.

    Without `splits` the parts are equal, and what came is returned; with them, also how much came from each process.
    """
    tensor = convert_to_tensor(tensor)
    own = convert_to_tensor([tensor.shape[0] // size()] * size() if splits is None else splits)
    if size() == 1:
        return tensor if splits is None else (tensor, own)
    lengths, everything = _all(own).numpy(), allgather(tensor)
    starts = np.concatenate([[0], np.cumsum(lengths)])[:-1].reshape(lengths.shape)
    parts = [everything[starts[i, rank()] : starts[i, rank()] + lengths[i, rank()]] for i in range(size())]
    received = concat(parts, 0)
    return received if splits is None else (received, convert_to_tensor(lengths[:, rank()]))


def reducescatter(tensor, compression=Compression.none, op=None, name=None):
    """`allreduce`, of which each process keeps its part along the first axis."""
    total = allreduce(tensor, compression=compression, op=op)
    rows, count = total.shape[0], size()
    parts = [rows // count + (i < rows % count) for i in range(count)]
    start = sum(parts[: rank()])
    return total[start : start + parts[rank()]]


def barrier():
    """Wait until all processes have come here."""
    if size() > 1:
        sum_over_processes([convert_to_tensor(0.0)])


def join() -> int:
    """Wait until all processes have come here; returns the last number."""
    barrier()
    return size() - 1


def broadcast_object(obj, root_rank=0, name=None):
    """A Python object of one process, in all of them. The processes trust each other: it travels as a pickle."""
    return allgather_object(obj if rank() == root_rank else None)[root_rank]


def allgather_object(obj, name=None) -> list:
    """The Python objects of all processes."""
    if size() == 1:
        return [obj]
    text = np.frombuffer(pickle.dumps(obj), np.uint8)
    lengths = allgather(convert_to_tensor([text.size])).numpy()
    joined = allgather(reshape(convert_to_tensor(text), [-1])).numpy()
    ends = np.cumsum(lengths)
    return [pickle.loads(joined[end - length : end].tobytes()) for end, length in zip(ends, lengths, strict=True)]


def broadcast_variables(variables, root_rank):
    """Give the variables of all processes the values of one process."""
    variables = list(variables)
    if size() == 1 or not variables:
        return
    values = [convert_to_tensor(v) for v in variables]
    mine = values if rank() == root_rank else [zeros_like(value) for value in values]
    for variable, value in zip(variables, sum_over_processes(mine), strict=True):
        variable.assign(value)
