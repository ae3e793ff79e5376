"""Walks backwards through a region: finds the inputs a value is computed from, and recomputes it on the host: for the
message of a check that failed, and for the effects in front of an op that failed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from reflow.core import errors
from reflow.core.failures import FAILURES
from reflow.ops.kernels.control.flow import truth
from reflow.runtime.interpret import host_value, located, run_one
from reflow.runtime.schedule import schedule_of

if TYPE_CHECKING:
    from reflow.compile.region import Region
    from reflow.core.types import Value
    from reflow.graph.func_graph import FuncGraph
    from reflow.graph.node import Node
    from reflow.ops.record import NeedsValue
    from reflow.runtime.schedule import Env, Instruction

MOST_ITERATIONS = 10_000  # of a loop that runs again to describe an error


def producers(instructions: Sequence[Instruction]) -> dict:
    return {slot: i for i in instructions for slot in i.outs}


def value_sources(region: Region, instruction: Instruction, need: NeedsValue) -> set[int] | None:
    """Positions of the region's inputs whose values a static operand is computed from.

    None if it is computed from state.
    """
    made_by = producers(region.instructions)
    place = {slot: i for i, slot in enumerate(region.inputs)}
    if instruction not in region.instructions:
        return None
    start = [instruction.ins[need.index]] if need.index is not None else list(instruction.ins[1:])
    found: set = set()
    seen: set = set()
    stack = list(start)
    while stack:
        slot = stack.pop()
        if slot in place:
            found.add(place[slot])
            continue
        maker = made_by.get(slot)
        if maker is None or maker in seen:
            if maker is None:
                return None
            continue
        seen.add(maker)
        if maker.op.from_shapes:
            continue
        if maker.op.stateful or maker.op.host:
            return None
        stack.extend(maker.ins)
    return found


def recompute(instructions: Sequence[Instruction], instruction: Instruction, env: Env) -> list[Value] | None:
    """The host values of an instruction's inputs when its check failed, recomputed from the region's inputs for the
    error message.

    The instruction may be in a loop, a branch or a map. None if the values depend on what the program has changed.
    """
    try:
        return _failing(instruction, Frame(instructions, _given(instructions, env)), instructions)
    except _IMPOSSIBLE:
        return None


def finish_front(instructions: Sequence[Instruction], node: Node, env: Env) -> Exception | None:
    """Run the effects on the host in front of a node that failed; returns the error of the first that fails too.

    Regions run before them. But an interpreter would have run them, and prints and assertions are there to show what is
    wrong. What depends on something that the instructions change is left out.
    """
    front = list(itertools.takewhile(lambda i: i.node is not node and not _holds(i, node), instructions))
    if len(front) == len(instructions):
        return None
    effects = [i for i in front if _host_effect(i)]
    frame = Frame(front, _given(front, env), any(_writes(i) for i in front if i not in effects))
    for i in effects:
        try:
            values = frame.values(i.ins)
        except _IMPOSSIBLE:
            continue
        try:
            out = run_one(i, values)
        except (*FAILURES, errors.OpError) as error:
            return located(i, values, error)
        frame.known.update(zip(i.outs, [out] if i.op.single else out, strict=True))
    return None


def _host_effect(instruction: Instruction) -> bool:
    """Whether it has effects, all of them on the host, as a print has; variables are state of the programs."""
    inside = [i for g in instruction.graphs for i in schedule_of(g).instructions if i.op.must_run]
    op = instruction.op
    return all(map(_host_effect, inside)) if inside else op.must_run and op.host and op.lower is None


#: why a value cannot be computed again
_IMPOSSIBLE = (errors.OpError, LookupError, RecursionError, ValueError, TypeError)


#: a value that is computed on demand
Later: TypeAlias = Callable[[], Any]


def _given(instructions: Sequence[Instruction], env: Env) -> dict[int, Later]:
    return {s: partial(host_value, env[s]) for i in instructions for s in i.ins if env[s] is not None}


class Frame:
    """The slots of a region or a body, computed on demand. `given` holds outside values, as functions."""

    def __init__(
        self, instructions: Sequence[Instruction], given: dict[int, Later], writes: bool | None = None
    ) -> None:
        self.given, self.made_by = given, producers(instructions)
        self.known: dict[int, Any] = {}
        self.writes = any(map(_writes, instructions)) if writes is None else writes

    def value(self, slot: int) -> Value:
        if slot not in self.known:
            maker = self.made_by.get(slot)
            if maker is None:
                self.known[slot] = self.given[slot]()
            else:
                self.known.update(zip(maker.outs, self._run(maker), strict=True))
        return self.known[slot]

    def values(self, slots: Iterable[int]) -> list:
        return [self.value(s) for s in slots]

    def later(self, slots: Iterable[int]) -> list:
        return [partial(self.value, s) for s in slots]

    def _run(self, maker: Instruction) -> list:
        if maker.op.stateful and (self.writes or not maker.op.only_reads):
            raise LookupError
        out = run_one(maker, self.values(maker.ins))
        return [out] if maker.op.single else list(out)


def _writes(instruction: Instruction) -> bool:
    """Whether an instruction changes variables or draws random numbers."""
    graphs = instruction.graphs
    if graphs:
        return any(_writes(i) for g in graphs for i in schedule_of(g).instructions)
    return instruction.op.must_run


def _failing(wanted: Instruction, frame: Frame, instructions: Sequence[Instruction]) -> list[Value] | None:
    """The inputs for which `wanted` fails when these instructions run; None if it does not."""
    for i in instructions:
        found = None
        if i.node is wanted.node:
            values = frame.values(i.ins)
            found = values if _fails(i, values) else None
        elif _holds(i, wanted.node):
            found = _failing_inside(wanted, frame, i)
        if found is not None:
            return found
    return None


def _fails(instruction: Instruction, values: Sequence[Value]) -> bool:
    try:
        run_one(instruction, values)
    except (errors.OpError, ValueError, IndexError):
        return True
    return False


def _holds(instruction: Instruction, node: Node) -> bool:
    """Whether a graph among its attributes has the node."""
    return any(
        i.node is node or _holds(i, node)
        for g in instruction.graphs
        for i in schedule_of(g).instructions
    )


def _failing_inside(wanted: Instruction, frame: Frame, holder: Instruction) -> list[Value] | None:
    """The inputs for which `wanted` fails inside a loop, a branch or a map."""
    attrs, given = holder.attrs, frame.later(holder.ins)

    def run(graph: FuncGraph, values: Sequence[Later]) -> tuple[list[Value] | None, list[Later]]:
        """The inputs for which it fails, if it does, and its outputs."""
        schedule = schedule_of(graph)
        inner = Frame(schedule.instructions, dict(zip(schedule.inputs, values, strict=True)), frame.writes)
        return _failing(wanted, inner, schedule.instructions), inner.later(schedule.outputs)

    if holder.op.flow == "loop":
        for _ in range(MOST_ITERATIONS):
            found, (test,) = run(attrs["cond"], given)
            if found is not None or not truth(test()):
                return found
            found, given = run(attrs["body"], given)
            if found is not None:
                return found
        return None
    if holder.op.flow == "other":
        return None
    if holder.op.flow == "map":
        rows = next(len(v()) for v, b in zip(given, attrs["batched"], strict=True) if b)
        tries = (
            [partial(_row, v, n) if b else v for v, b in zip(given, attrs["batched"], strict=True)] for n in range(rows)
        )
        return next((found for row in tries if (found := run(attrs["f"], row)[0]) is not None), None)
    predicate, *given = given
    if "branches" in attrs:
        at = int(predicate())
        return run(attrs["branches"][at if 0 <= at < len(attrs["branches"]) else -1], given)[0]
    return run(attrs["then_branch" if truth(predicate()) else "else_branch"], given)[0]


def _row(value: Later, n: int) -> Value:
    return value()[n]
