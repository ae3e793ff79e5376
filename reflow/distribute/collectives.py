"""Collectives between processes as ops (`kernels.py`), so that functions can contain them."""

from __future__ import annotations

from reflow.ops.dispatch import run


def sum_over_processes(tensors, options=None) -> list:
    """The sums of tensors over all processes, in one exchange."""
    attrs = (
        {} if options is None
        else {"bytes_per_pack": options.bytes_per_pack, "timeout_seconds": options.timeout_seconds}
    )
    if not tensors:
        return []
    out = run("Reflow>AllReduceSum", *tensors, Tout=[t.dtype for t in tensors], **attrs)
    return list(out) if isinstance(out, (list, tuple)) else [out]


def gather_over_processes(tensor, axis: int):
    """The tensors of all processes, concatenated along an axis."""
    return run("Reflow>AllGatherProcesses", tensor, axis=axis, T_output=tensor.dtype)
