"""Exchanges between processes as ops, so that functions hold them: each runs on the host, between two programs, in the order of
the program's text."""

from __future__ import annotations

import numpy as np

from reflow.core import errors
from reflow.distribute import processes
from reflow.ops import shape_rules as rules
from reflow.ops.dispatch import run
from reflow.ops.registry import NO_GRADIENT, own_op


def _group() -> processes.Processes:
    group = processes.current()
    if group is None:
        raise errors.FailedPreconditionError(None, None, "This process has not joined any others.")
    return group


@own_op(
    "AllReduceSum",
    inputs="*values",
    outputs="*sums",
    attrs=("bytes_per_pack", "timeout_seconds"),
    shape=rules.same_all,
    grad=NO_GRADIENT,
    host=True,
    effect=True,
    jit="between",
    touches=("network",),
)
def all_reduce_sum(_, values, bytes_per_pack=0, timeout_seconds=None):
    narrow = [v.astype(np.uint8) if v.dtype == np.bool_ else v for v in map(np.asarray, values)]
    sums = _group().sum(narrow, bytes_per_pack, timeout_seconds)
    return tuple(s.astype(np.bool_) if v.dtype == np.bool_ else s for v, s in zip(values, sums, strict=True))


def _gathered_shape(f):
    dims = f.shapes[0]
    if dims is None:
        return [None]
    axis = f.attrs["axis"] % len(dims)
    return [(*dims[:axis], None, *dims[axis + 1 :])]


@own_op(
    "AllGatherProcesses",
    inputs="value",
    attrs=("axis",),
    shape=_gathered_shape,
    grad=NO_GRADIENT,
    host=True,
    effect=True,
    jit="between",
    touches=("network",),
)
def all_gather_processes(_, value, axis):
    return _group().concatenate(np.asarray(value), axis)


def sum_over_processes(tensors, options=None) -> list:
    """The sums of tensors over all processes, in one exchange."""
    attrs = {} if options is None else {"bytes_per_pack": options.bytes_per_pack, "timeout_seconds": options.timeout_seconds}
    if not tensors:
        return []
    out = run("Reflow>AllReduceSum", *tensors, Tout=[t.dtype for t in tensors], **attrs)
    return list(out) if isinstance(out, (list, tuple)) else [out]


def gather_over_processes(tensor, axis: int):
    """The tensors of all processes one after the other along an axis."""
    return run("Reflow>AllGatherProcesses", tensor, axis=axis, T_output=tensor.dtype)
