"""Ops of older graphs that run a function: a counted loop, a function of each row, a call on a named device.

They run on the host, one call after the other; `tf.function` creates `While`, `PartitionedCall` and `tf.vectorized_map`
instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.core import errors
from reflow.core.shapes import dims_of
from reflow.core.tensor import HostObject
from reflow.ops import require
from reflow.ops.registry import NO_GRADIENT, op

_FACTS: dict = {"grad": NO_GRADIENT, "host": True, "opaque": True, "flow": "other"}


@op("For", shape=lambda f: list(f.shapes[3:]), **_FACTS)
def for_(_, start, limit, delta, input, body):
    """`values = body(i, *values)` for i from start to limit."""
    require.scalars(start=start, limit=limit, delta=delta)
    step = int(delta)
    ways = int(limit) - int(start)
    if not step or ways * step < 0:
        raise errors.InvalidArgumentError(None, None, f"Invalid start/limit/delta: {int(start)} {int(limit)} {step}")
    values = list(input)
    for i in range(int(start), int(limit), step):
        values = list(body.run([np.asarray(i, start.dtype), *values]))
    return tuple(values)


def _map_shapes(f):
    rows = f.shapes[0][0] if f.shapes and f.shapes[0] else None
    shapes = [dims_of(s) for s in f.attrs["output_shapes"]]
    return [None if dims is None else (rows, *dims) for dims in shapes]


@op("MapDefun", shape=_map_shapes, **_FACTS)
def map_defun(_, arguments, captured_inputs, f, output_types, output_shapes):
    """The function of each row of the arguments, its results stacked."""
    if not arguments or any(x.ndim == 0 for x in arguments):
        raise errors.InvalidArgumentError(None, None, "All inputs must have at least rank 1.")
    rows = {x.shape[0] for x in arguments}
    if len(rows) > 1:
        raise errors.InvalidArgumentError(None, None, "All inputs must have the same dimension 0.")
    found = [f.run([*(x[i] for x in arguments), *captured_inputs]) for i in range(rows.pop())]
    if found:
        return tuple(np.stack([np.asarray(row[k]) for row in found]) for k in range(len(output_types)))
    shapes = [dims_of(s) or () for s in output_shapes]
    return tuple(np.zeros((0, *(d or 0 for d in s)), t.np_dtype) for t, s in zip(output_types, shapes, strict=True))


@op("RemoteCall", shape=lambda f: f.attrs["f"].output_dims(f.shapes[1:]), **_FACTS)
def remote_call(_, target, args, f):
    """The function, where the device is: all devices of one process are reached without a call elsewhere. An argument
    that is an object of another process (`HostObject.remote`) has it called there."""
    require.scalar("target", target)
    elsewhere: Any = next((a for a in args if isinstance(a, HostObject) and a.remote), None)
    if elsewhere is not None:
        return tuple(elsewhere.run(f, args))
    name = target[()].decode()
    if "/job:" in name and not name.startswith("/job:localhost"):
        raise errors.InvalidArgumentError(
            None, None, f"RemoteCall reaches the devices of this process only, not {name!r}."
        )
    return f.run(args)
