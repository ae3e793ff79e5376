"""Lowering of branches: `If` and `Case` become `lax.switch`.

With a known predicate, the other branch is never lowered. Branches that are incompatible (different shapes, a host op,
a size that depends on data) make the whole op a host op.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax import lax

from reflow.compile.lists import ListValue
from reflow.compile.lowering import MakeHost, NeedsValue, Ref, as_array, rule
from reflow.ops.kernels.control.flow import ABSENT, CASES, IFS, truth
from reflow.runtime.schedule import schedule_of

if TYPE_CHECKING:
    from reflow.compile.lowering import Lowering
    from reflow.core.types import Array, Value
    from reflow.graph.func_graph import FuncGraph
    from reflow.runtime.schedule import Instruction


def is_known(value: Value) -> bool:
    return isinstance(value, np.ndarray)


def written_refs(before: dict, after: dict) -> list:
    return [k for k, v in after.items() if before.get(k) is not v]


class _Branch:
    """One branch of an `If` or `Case`, lowered in its own scope."""

    def __init__(self, lowering: Lowering, graph: FuncGraph, values: Sequence[Value]) -> None:
        self.lowering, self.graph, self.values = lowering, graph, values
        self.written: list = []

    def outputs(self) -> tuple[Lowering, list[Array]]:
        scope = self.lowering.child()
        outs = self.lowering_run(scope)
        self.written = written_refs(self.lowering.state, scope.state)
        return scope, outs

    def lowering_run(self, scope: Lowering) -> list[Array]:
        return scope.run_graph(self.graph, self.values)


def _lower_branches(
    lowering: Lowering, instruction: Instruction, index: Any, graphs: Sequence[FuncGraph], values: Sequence[Value]
) -> list[Array]:
    branches = [_Branch(lowering, g, values) for g in graphs]
    try:
        absent, kept, written = _probe(branches)

        def make(branch: _Branch) -> Callable:
            def run(_: Any) -> Any:
                scope, outs = branch.outputs()
                outs = [_filler(absent[i]) if o is ABSENT else plain(o) for i, o in enumerate(outs) if i in kept]
                return outs, [as_array(scope.state[k]) for k in written], as_array(scope.code, np.dtype(np.int32))

            return run

        functions = [make(b) for b in branches]
        outs, state, code = lax.switch(index, functions, np.int32(0))
    except NeedsValue as need:
        raise MakeHost(instruction, f"in a branch {str(need).rstrip('.')}") from None
    except MakeHost as inner:
        raise MakeHost(instruction, f"a branch holds {inner}", inner.refused) from None
    except TypeError as error:
        raise MakeHost(instruction, f"the branches differ: {str(error)[:200]}") from None
    for key, value in zip(written, state, strict=True):
        lowering.state[key] = value
    lowering.code = code
    found = dict(zip(kept, outs, strict=True))
    return [found.get(i, ABSENT) for i in range(len(graphs[0].outputs))]


def _probe(branches: Sequence[_Branch]) -> tuple[dict[int, Any], list[int], list[int]]:
    """Abstract results of all branches: shapes for outputs that one of them lacks, the outputs that one of them has,
    and the variables that are written.
    """
    checks = branches[0].lowering.root.checks
    count = len(checks)
    shapes: dict = {}
    written: dict = {}
    found: list = []
    for branch in branches:
        kinds: list = []
        found.append(kinds)

        def abstract(branch: _Branch = branch, kinds: Any = kinds) -> Any:
            _, outs = branch.outputs()
            kinds.extend(outs)
            return [o for o in outs if o is not ABSENT and not isinstance(o, Ref)]

        jax.eval_shape(abstract)
        written.update(dict.fromkeys(branch.written))
    del checks[count:]
    kept = []
    for i, column in enumerate(zip(*found, strict=True)):
        there = [o for o in column if o is not ABSENT]
        if any(isinstance(o, Ref) for o in there):
            raise TypeError("a branch returns a variable's handle")
        if there:
            kept.append(i)
        if len(there) < len(column):
            shapes[i] = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), there[0]) if there else None
    return shapes, kept, list(written)


def _filler(shape: Any) -> Array:
    return jax.tree.map(lambda s: lax.full(s.shape, 0, s.dtype), shape)


def plain(value: Value) -> Array:
    if isinstance(value, ListValue):
        return value.as_arrays()
    if isinstance(value, Ref):
        raise TypeError("a branch returns a variable's handle")
    return as_array(value)


def _run_known(lowering: Lowering, instruction: Instruction, graph: FuncGraph, values: Sequence[Value]) -> list[Array]:
    """Lower the branch that is taken. If that fails, the branching op fails with the same reason."""
    try:
        return lowering.run_graph(graph, values)
    except NeedsValue as need:
        position = _argument_needed(graph, need)
        if position is not None:
            raise NeedsValue(instruction.op, "input", 1 + position) from None
        raise MakeHost(instruction, f"in a branch {str(need).rstrip('.')}") from None
    except MakeHost as inner:
        raise MakeHost(instruction, f"a branch holds {inner}", inner.refused) from None


def _argument_needed(graph: FuncGraph, need: NeedsValue) -> int | None:
    """The position of the argument that an op in the graph needs as a value.

    None if the op needs something computed from it.
    """
    schedule = schedule_of(graph)
    if need.index is None or need.instruction not in schedule.instructions:
        return None
    slot = need.instruction.ins[need.index]
    return schedule.inputs.index(slot) if slot in schedule.inputs else None


def _need_predicate(instruction: Instruction, values: Sequence[Value]) -> None:
    """Request the predicate's value if an input is absent: in a gradient, an intermediate of the untaken branch."""
    if any(v is ABSENT for v in values):
        raise NeedsValue(instruction.op, "predicate", 0)


@rule(*IFS)
def _if(lowering: Lowering, instruction: Instruction, values: Sequence[Value]) -> list[Array]:
    predicate, *rest = values
    graphs = [instruction.attrs["else_branch"], instruction.attrs["then_branch"]]
    if predicate.shape != ():
        raise MakeHost(instruction, "its predicate is no scalar")
    if is_known(predicate):
        return _run_known(lowering, instruction, graphs[truth(predicate)], rest)
    _need_predicate(instruction, rest)
    index = lax.convert_element_type(
        predicate if predicate.dtype == bool else lax.ne(predicate, lax.full_like(predicate, 0)), np.int32
    )
    return _lower_branches(lowering, instruction, index, graphs, rest)


@rule(*CASES)
def _case(lowering: Lowering, instruction: Instruction, values: Sequence[Value]) -> list[Array]:
    index, *rest = values
    graphs = instruction.attrs["branches"]
    last = len(graphs) - 1
    if is_known(index):
        at = int(index)
        return _run_known(lowering, instruction, graphs[at if 0 <= at <= last else last], rest)
    _need_predicate(instruction, rest)
    inside = lax.bitwise_and(lax.ge(index, np.int32(0)), lax.le(index, np.int32(last)))
    return _lower_branches(lowering, instruction, lax.select(inside, index, lax.full_like(index, last)), graphs, rest)
