"""Ops that TensorFlow's debugger attaches to the outputs that it watches: a copy of a tensor, or statistics, perhaps
written to a file.

A URL `file://FOLDER` gets a file for each tensor, an `Event` with a summary that holds it, as version 1 of the debugger
writes them: `FOLDER/_tfdbg_device_,…/NODE_SLOT_OP_TIME`.
"""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.os_errors import os_errors
from reflow.core.types import Array
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op

_FILE = "file://"


def _written(op_name: str, value: Any, device_name: str, tensor_name: str, debug_urls: list[str]) -> None:
    """Write a value to each URL. The tensor's name has the number of an output, or means the first."""
    node, _, slot = tensor_name.rpartition(":") if ":" in tensor_name else (tensor_name, ":", "0")
    if not tensor_name:
        raise errors.InvalidArgumentError(None, None, f'Failed to parse tensor name: "{tensor_name}"')
    if not slot.isdigit():
        raise errors.InvalidArgumentError(None, None, f'Invalid string value for output_slot: "{slot}"')
    for url in debug_urls:
        if not url.startswith(_FILE):
            raise errors.UnimplementedError(
                None, None, f"Only files are written for the debugger. Received: debug_urls={url!r}"
            )
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.util.tensor_util import make_tensor_proto

        now = time.time_ns() // 1000
        event = Event(wall_time=now)
        held = event.summary.value.add(tag=node, node_name=f"{tensor_name}:{op_name}")
        held.tensor.CopyFrom(make_tensor_proto(value))
        device = "_tfdbg_device_" + device_name.replace("/", ",").replace(":", "_")
        path = os.path.join(url[len(_FILE) :], device, f"{node}_{slot}_{op_name}_{now}")
        with os_errors(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(event.SerializeToString())


def _touches(attrs: dict) -> tuple[str, ...]:
    return ("files",) if attrs.get("debug_urls") else ()


_WATCH: dict[str, Any] = {"shape": rules.same, "grad": NO_GRADIENT, "host": True, "touches": _touches}


@op("DebugIdentity", effect=True, **_WATCH)
def debug_identity(_, input, device_name="", tensor_name="", debug_urls=(), gated_grpc=False):
    _written("DebugIdentity", input, device_name, tensor_name, debug_urls)
    return input


@op("DebugIdentityV3", effect=True, **_WATCH)
def debug_identity_v3(
    _, input, device_name="", tensor_name="", io_of_node="", is_input=False, io_index=-1, debug_urls=(),
    gated_grpc=False,
):
    _written("DebugIdentityV3", input, device_name, tensor_name, debug_urls)
    return input


def _numbers(x: Array) -> Array:
    """An array that can be asked for NaNs."""
    return x.astype(np.float64) if x.dtype.kind in "fV" or x.dtype == dtypes.bfloat16.np_dtype else x


@op("DebugNanCount", effect=True, shape=lambda f: [(1,)], grad=NO_GRADIENT, host=True, touches=_touches)
def debug_nan_count(_, input, device_name="", tensor_name="", debug_urls=(), gated_grpc=False):
    count = np.array([np.isnan(_numbers(input)).sum()], np.int64)
    _written("DebugNanCount", count, device_name, tensor_name, debug_urls)
    return count


@op(
    "DebugNumericSummary", effect=True, shape=lambda f: [(None if f.shapes[0] is None else 14 + len(f.shapes[0]),)],
    grad=NO_GRADIENT, host=True, touches=_touches,
)
def debug_numeric_summary(
    _, input, device_name="", tensor_name="", debug_urls=(), lower_bound=-np.inf, upper_bound=np.inf,
    mute_if_healthy=False, gated_grpc=False,
):
    """Whether there is a value, the number of elements, how many are NaN, low, negative, zero, positive, high; least,
    greatest, mean and variance of the finite ones; dtype and shape. Low and high are infinities, or what lies outside
    of the bounds."""
    x = _numbers(input)
    nan, low, high = np.isnan(x), x <= lower_bound, x >= upper_bound
    plain = x[~(nan | low | high)]
    finite = x[np.isfinite(x)].astype(np.float64)
    counts = [nan.sum(), low.sum(), (plain < 0).sum(), (plain == 0).sum(), (plain > 0).sum(), high.sum()]
    spread = (
        [finite.min(), finite.max(), finite.mean(), finite.var()] if finite.size else [np.inf, -np.inf, np.nan, np.nan]
    )
    found = np.array([1, x.size, *counts, *spread, dtypes.as_dtype(input.dtype).enum, x.ndim, *x.shape], np.float64)
    if not (mute_if_healthy and not (nan.any() or low.any() or high.any())):
        _written("DebugNumericSummary", found, device_name, tensor_name, debug_urls)
    return found
