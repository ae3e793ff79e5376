"""Small ops for inspecting a running program: statistics of a tensor, TensorFlow 1 prints, a deliberate abort."""

from __future__ import annotations

import collections
import os
import sys

import numpy as np

from reflow.core import dtypes, errors
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.strings.format import flat_summary
from reflow.ops.registry import NO_GRADIENT, op

# --- numbers about a tensor -------------------------------------------------------------------------------------------

CURT, CONCISE, FULL, SHAPE, REDUCED = 2, 3, 4, 5, 8  # `tensor_debug_mode`; the others are modes of the debugger alone


def _counts(x) -> list[int]:
    """How many are -infinity, infinity, NaN, negative, zero, positive."""
    finite = x[np.isfinite(x)] if x.dtype.kind in "fV" else x
    bad = (np.isneginf(x), np.isposinf(x), np.isnan(x)) if x.dtype.kind in "fV" else ((), (), ())
    return [int(np.sum(b)) for b in bad] + [int(np.sum(test)) for test in (finite < 0, finite == 0, finite > 0)]


@op("DebugNumericSummaryV2", shape=lambda f: [None], grad=NO_GRADIENT, host=True)
def debug_numeric_summary(_, input, output_dtype=dtypes.float32, tensor_debug_mode=-1, tensor_id=-1):
    mode, x = tensor_debug_mode, np.asarray(input)
    if tensor_id > (largest := 2 ** (53 if output_dtype is dtypes.float64 else 24)):
        power = f"(2^{largest.bit_length() - 1})"
        raise ValueError(
            f"DebugNumericSummaryV2Op requires tensor_id to be less than or equal to {power}. "
            f"Given tensor_id:{tensor_id}"
        )
    if mode not in (CURT, CONCISE, FULL, SHAPE, REDUCED):
        raise errors.UnimplementedError(None, None, f"Unimplemented tensor debug mode: {mode}")
    numbers = x.astype(np.float32) if x.dtype.kind == "V" else x
    low, high, nan, negative, zero, positive = _counts(numbers)
    kind, size = dtypes.as_dtype(x.dtype).enum, x.size
    if mode == CURT:
        found: list = [tensor_id, float(bool(low or high or nan))]
    elif mode == CONCISE:
        found = [tensor_id, size, low, high, nan]
    elif mode == FULL:
        found = [tensor_id, -1, kind, x.ndim, size, low, high, nan, negative, zero, positive]
    elif mode == SHAPE:
        dims = [*x.shape[-6:], *[0] * (6 - min(x.ndim, 6))]
        found = [tensor_id, kind, x.ndim, size, *dims]
    else:
        found = [-np.inf if low else 0.0, np.inf if high else 0.0, np.nan if nan else 0.0]
    return np.array(found, output_dtype.np_dtype)


@op("CheckPinned", shape=rules.same, grad=NO_GRADIENT, host=True, moves=True)
def check_pinned(_, tensor):
    """Only a build with CUDA can tell whether memory is pinned."""
    raise errors.FailedPreconditionError(None, None, "to check pinnedness, must be built with `--config=cuda`")


# --- prints and ends --------------------------------------------------------------------------------------------------

_printed: collections.Counter = collections.Counter()  # by message and limit: how often such a node has printed


@op(
    "Print", shape=rules.same, host=True, effect=True,
    grad_tensors=lambda attrs, inputs, outputs, cts, wanted: [cts[0], *[None] * (len(inputs) - 1)],
)
def print_v1(_, input, data, message="", first_n=-1, summarize=3):
    key = (message, first_n)
    _printed[key] += 1
    if first_n < 0 or _printed[key] <= first_n:
        sys.stderr.write(message + "".join(f"[{flat_summary(d, summarize)}]" for d in data) + "\n")
        sys.stderr.flush()
    return input


@op("Abort", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, effect=True, touches=("processes",))
def abort(_, error_msg="", exit_without_error=False):
    """End the process: a test of what survives it."""
    if exit_without_error:
        os._exit(0)
    sys.stderr.write(f"Abort_op intentional failure; {error_msg}\n")
    sys.stderr.flush()
    os.abort()


@op("Fact", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def fact(_):
    return np.array(b"0! == 1", object)


@op("SyncDevice", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, effect=True)
def sync_device(_):
    """Waits for nothing: on a CPU a host step runs after the programs before it."""
    return ()
