"""`Reflow>VMap`: a function graph applied to every row of its batched inputs at once.

`batched` says for each input whether it has rows; the others are shared by all rows. All outputs have rows. In a
program this is `jax.vmap` (`reflow/compile/batched_rules.py`). On the host each instruction runs once: on the whole
batch if the op's record has a batching rule (`reflow/ops/batching.py`), row by row otherwise, and only once if none of
its inputs has rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reflow.core import errors
from reflow.core.context import swapped
from reflow.core.tensor import HostObject
from reflow.core.types import Value
from reflow.ops.protocols import Xp
from reflow.ops.registry import own_op
from reflow.ops.shape_facts import NodeFacts, Shapes
from reflow.runtime.interpret import host_value, run_instructions
from reflow.runtime.schedule import Instruction, schedule_of

if TYPE_CHECKING:
    from reflow.graph.func_graph import FuncGraph
    from reflow.graph.symbolic import SymbolicTensor


def _rows_shape(f: NodeFacts) -> Shapes:
    """The static shapes: the number of rows, then the shape of a row's result."""
    sizes = [s[0] for s, b in zip(f.shapes, f.attrs["batched"], strict=True) if b and s]
    rows = next((n for n in sizes if n is not None), None)
    return [None if t._dims is None else (rows, *t._dims) for t in f.attrs["f"].outputs]


@own_op("VMap", inputs="*values", outputs="*outputs", attrs=("f", "batched"), shape=_rows_shape, host=True, flow="map")
def vmap(_: Xp, values: Sequence[Value], f: FuncGraph, batched: Sequence[bool]) -> list[Value]:
    """Run `f` for all rows."""
    with swapped(graph=None, tapes=()):
        return run_batched(f, values, batched)


class Rows:
    """The rows of a value that is not an array: a list of tensor lists, for instance."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items


def row_count(values: Sequence[Value], batched: Sequence[bool]) -> int:
    """The number of rows; all batched values must agree."""
    counts = [len(v) for v, b in zip(values, batched, strict=True) if b]
    for n in counts:
        if n != counts[0]:
            least = min(counts)
            raise errors.InvalidArgumentError(None, None, f"indices[{least}] = {least} is not in [0, {least})")
    return counts[0]


def run_batched(graph: FuncGraph, values: Sequence[Value], batched: Sequence[bool]) -> list:
    """The outputs of a graph for all rows, stacked."""
    count = row_count(values, batched)
    schedule = schedule_of(graph)
    env: dict = {}
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
        _run(instruction, env, flags, count)
        rows.update(instruction.outs)
    return [
        _stacked(env[s], t) if s in rows else _repeated(env[s], count)
        for s, t in zip(schedule.outputs, graph.outputs, strict=True)
    ]


def _run(instruction: Instruction, env: dict[int, Any], flags: Sequence[bool], count: int) -> None:
    """Run an instruction for all rows: at once if its op has a batching rule for these operands."""
    op, ins = instruction.op, instruction.ins
    values = [env[s] for s in ins]
    batched = None
    if op.batch is not None and all(isinstance(v, np.ndarray) for v in values):
        batched = op.batch(op, instruction.attrs, values, flags)
    if batched is None:
        _row_by_row(instruction, env, flags, count)
        return
    op, attrs, operands = batched
    env.update(zip(ins, operands, strict=True))
    run_instructions([Instruction(op, attrs, ins, instruction.outs, instruction.node)], env, [()])
    env.update(zip(ins, values, strict=True))


def _row_by_row(instruction: Instruction, env: dict[int, Any], flags: Sequence[bool], count: int) -> None:
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


def _joined(items: list[Any], tensor: SymbolicTensor) -> Any:
    """Rows as one array; as `Rows` if they are not arrays or differ in shape (then they may not leave the map)."""
    if not items:
        return np.zeros((0, *[d or 0 for d in tensor._dims or ()]), tensor._dtype.np_dtype)
    if any(isinstance(x, HostObject) or x.shape != items[0].shape for x in items):
        return Rows(items)
    return np.stack(items)


def _stacked(value: Value, tensor: SymbolicTensor) -> Value:
    if not isinstance(value, Rows):
        return value
    shapes = {getattr(x, "shape", ()) for x in value.items}
    raise errors.InvalidArgumentError(
        None, None, f"The rows of {tensor.name} cannot be stacked: their shapes are {sorted(shapes)}."
    )


def _repeated(value: Value, count: int) -> Value:
    return np.broadcast_to(value, (count, *value.shape)).copy()
