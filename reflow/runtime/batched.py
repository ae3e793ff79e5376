"""`Reflow>VMap`: a function graph applied to every row of its batched inputs at once.

`batched` says per input whether it has rows; the others are the same for all rows. All outputs have rows. In a program it
is `jax.vmap` (`reflow/compile/batched_rules.py`). On the host the graph's instructions run once each: on the whole batch if
the op works element by element or along axes that can be counted on, row by row otherwise, and once for all if nothing it
reads has rows.
"""

from __future__ import annotations

import functools

import numpy as np

from reflow.core import errors
from reflow.core.context import state, swapped
from reflow.core.tensor import HostObject
from reflow.ops import registry, shape_rules
from reflow.ops.registry import own_op
from reflow.ops.xp import host as host_xp
from reflow.runtime.interpret import host_value, run_instructions
from reflow.runtime.schedule import schedule_of

#: ops of which every leading axis is a batch already
ANY_SHAPE = frozenset(
    {
        "Cast",
        "Identity",
        "StopGradient",
        "ZerosLike",
        "OnesLike",
        "Relu",
        "Softplus",
        "Elu",
        "LeakyRelu",
        "BatchMatMulV2",
    }
)
#: ops whose second operand counts axes: those from the front are one further behind when there are rows
ALONG_AXES = frozenset(
    {"Sum", "Mean", "Prod", "Max", "Min", "All", "Any", "EuclideanNorm"}
    | {"ArgMax", "ArgMin", "ExpandDims", "ReverseV2", "Cumsum", "Cumprod"}
)


def _rows_shape(f):
    """The static shapes: the number of rows, then what a row gives."""
    sizes = [s[0] for s, b in zip(f.shapes, f.attrs["batched"], strict=True) if b and s]
    rows = next((n for n in sizes if n is not None), None)
    return [None if t._dims is None else (rows, *t._dims) for t in f.attrs["f"].outputs]


@own_op("VMap", inputs="*values", outputs="*outputs", attrs=("f", "batched"), shape=_rows_shape, host=True)
def vmap(_, values, f, batched):
    """Run `f` for all rows."""
    with swapped(graph=None, tapes=()):
        return run_batched(f, values, batched)


class Rows:
    """The rows of a value that is no array: a list of tensor lists, for instance."""

    def __init__(self, items):
        self.items = items


def row_count(values, batched) -> int:
    """How many rows there are; all batched values must agree."""
    counts = [len(v) for v, b in zip(values, batched, strict=True) if b]
    for n in counts:
        if n != counts[0]:
            least = min(counts)
            raise errors.InvalidArgumentError(None, None, f"indices[{least}] = {least} is not in [0, {least})")
    return counts[0]


def run_batched(graph, values, batched) -> list:
    """The outputs of a graph for all rows, stacked."""
    count = row_count(values, batched)
    schedule = schedule_of(graph)
    env: list = [None] * schedule.slots
    rows = set()
    for slot, value, flag in zip(schedule.inputs, values, batched, strict=True):
        env[slot] = host_value(value)
        if flag:
            rows.add(slot)
    for instruction in schedule.instructions:
        flags = [s in rows for s in instruction.ins]
        if not any(flags):
            run_instructions([instruction], env, [()])
            continue
        apart = any(isinstance(env[s], Rows) for s in instruction.ins)
        (_row_by_row if apart else _way(instruction, flags))(instruction, env, flags, count)
        rows.update(instruction.outs)
    return [
        _stacked(env[s], count, t) if s in rows else _repeated(env[s], count)
        for s, t in zip(schedule.outputs, graph.outputs, strict=True)
    ]


def _way(instruction, flags):
    """How an instruction runs for all rows."""
    name = instruction.op.name
    if name in ALONG_AXES and flags == [True, False]:
        return _axes_moved
    if name == "MatMul":
        return _matrices
    return _whole if elementwise(instruction) else _row_by_row


@functools.cache
def _by_element(op) -> bool:
    if op.name in ANY_SHAPE or op.shape in (shape_rules.broadcast, shape_rules.broadcast_3):
        return True
    unary = op.shape is shape_rules.same and len(op.definition.inputs) == 1
    return unary and op.kernel.__module__.endswith(("kernels.math.unary", "kernels.math.special"))


def elementwise(instruction) -> bool:
    """Whether an instruction computes each element of its result from one element of each operand, aligned at the end."""
    op = instruction.op
    if op.name == "Reflow>VJP":  # of a function of one argument: a product with the derivative
        forward = instruction.attrs["forward"]
        return len(forward.definition.inputs) == 1 and _by_element(forward) and not instruction.attrs.get("likes")
    return _by_element(op)


def _whole(instruction, env, flags, count):
    """Run an elementwise instruction on all rows: axes of size one are put in where rows have fewer than others."""
    held = {s: env[s] for s in instruction.ins}
    depth = max(v.ndim - f for v, f in zip(held.values(), _flags_of(instruction, flags), strict=True))
    for (slot, value), flag in zip(held.items(), _flags_of(instruction, flags), strict=True):
        if flag and value.ndim - 1 < depth:
            env[slot] = value.reshape(count, *(1,) * (depth - value.ndim + 1), *value.shape[1:])
    run_instructions([instruction], env, [()])
    for slot, value in held.items():
        env[slot] = value


def _axes_moved(instruction, env, flags, count):
    slot = instruction.ins[1]
    axes = env[slot]
    env[slot] = np.where(axes < 0, axes, axes + 1).astype(axes.dtype)
    run_instructions([instruction], env, [()])
    env[slot] = axes


def _matrices(instruction, env, flags, count):
    adjoint = {f"adj_{x}": instruction.attrs.get(f"transpose_{t}", False) for x, t in (("x", "a"), ("y", "b"))}
    batch = registry.get("BatchMatMulV2")
    env[instruction.outs[0]] = state.run(batch.kernel, host_xp, *[env[s] for s in instruction.ins], **adjoint)


def _flags_of(instruction, flags) -> list:
    """The flags by slot, each once."""
    return list(dict(zip(instruction.ins, flags, strict=True)).values())


def _row_by_row(instruction, env, flags, count):
    held = {s: env[s] for s in instruction.ins}
    by_slot = dict(zip(instruction.ins, flags, strict=True))
    found: list = [[] for _ in instruction.outs]
    for i in range(count):
        for slot, value in held.items():
            if by_slot[slot]:
                env[slot] = value.items[i] if isinstance(value, Rows) else value[i, ...]
        run_instructions([instruction], env, [()])
        for out, slot in zip(found, instruction.outs, strict=True):
            out.append(env[slot])
    for slot, value in held.items():
        env[slot] = value
    for out, slot, tensor in zip(found, instruction.outs, instruction.node.outputs, strict=True):
        env[slot] = _joined(out, tensor)


def _joined(items, tensor):
    """Rows as one array; as `Rows` if they are no arrays, or not all of one shape (then they may not leave the map)."""
    if not items:
        return np.zeros((0, *[d or 0 for d in tensor._dims or ()]), tensor._dtype.np_dtype)
    if any(isinstance(x, HostObject) or x.shape != items[0].shape for x in items):
        return Rows(items)
    return np.stack(items)


def _stacked(value, count, tensor):
    if not isinstance(value, Rows):
        return value
    shapes = {getattr(x, "shape", ()) for x in value.items}
    raise errors.InvalidArgumentError(
        None, None, f"The rows of {tensor.name} cannot be stacked: their shapes are {sorted(shapes)}."
    )


def _repeated(value, count):
    return np.broadcast_to(value, (count, *value.shape)).copy()


RECORD = registry.get("Reflow>VMap")
