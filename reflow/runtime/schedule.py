"""Schedules: a function's graph as instructions on numbered slots.

`schedule_of(graph)` prunes unneeded nodes, inlines calls, and gives every value a slot. The interpreter runs the
instructions one by one; the compiler partitions the same list into regions. The graph itself stays as it was traced.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from reflow.core.types import Attrs
from reflow.graph.clone import clone, graphs_in
from reflow.graph.derived import derived
from reflow.graph.func_graph import PLACEHOLDER, FuncGraph
from reflow.ops import registry

if TYPE_CHECKING:
    from reflow.core.dtypes import DType
    from reflow.graph.node import Node
    from reflow.graph.symbolic import SymbolicTensor
    from reflow.ops.record import Op

#: the values of slots, by their numbers
Env: TypeAlias = list[Any] | dict[int, Any]

IDENTITY = registry.get("Identity")


class Instruction:
    """One op on slots."""

    __slots__ = ("op", "attrs", "bound", "graphs", "ins", "outs", "node", "after")

    def __init__(
        self, op: Op, attrs: Attrs, ins: tuple[Any, ...], outs: tuple[int, ...], node: Node,
        after: frozenset[int] = frozenset(),
    ) -> None:
        self.op, self.attrs, self.ins, self.outs, self.node = op, attrs, ins, outs, node
        self.after = after  # the numbers of instructions that must run first because of `tf.control_dependencies`
        self.bound = op.bind(attrs)
        #: the functions among its attributes
        self.graphs: Sequence[FuncGraph] = graphs_in(attrs) if op.has_functions else ()

    def __repr__(self) -> str:
        return f"{self.op.name}({', '.join(map(str, self.ins))}) -> {', '.join(map(str, self.outs))}"


class Schedule:
    """Instructions, the number of slots, the slots of inputs and outputs, and the dropped nodes of functions with
    `jit_compile`."""

    __slots__ = ("instructions", "slots", "inputs", "outputs", "dtypes", "graph", "frees", "left_out", "meets")

    def __init__(self, graph: FuncGraph) -> None:
        self.graph = graph
        self.instructions: list[Instruction] = []
        self.left_out: list = []
        self.dtypes: list = []
        self.inputs = [self.new_slot(t._dtype) for t in graph.inputs]
        slots = {t._id: s for t, s in zip(graph.inputs, self.inputs, strict=True)}
        self._emit(graph, slots, graph.jit_compile)
        self.outputs = [slots[t._id] for t in graph.outputs]
        self.slots = len(self.dtypes)
        self.frees = last_uses(self.instructions, {*self.inputs, *self.outputs})
        #: whether its ops, or those of a branch, loop or dataset, may wait for each other
        self.meets: bool = any(
            i.op.meets or i.graphs and any(schedule_of(g).meets for g in i.graphs) for i in self.instructions
        )

    def new_slot(self, dtype: DType) -> int:
        self.dtypes.append(dtype)
        return len(self.dtypes) - 1

    def _emit(self, graph: FuncGraph, slots: dict[int, int], whole: bool, edges: _Edges | None = None) -> None:
        """Add a graph's instructions; `whole`: it is a function with `jit_compile`, or inside one."""
        needed = needed_nodes(graph, graph.outputs, whole)
        edges = edges or _Edges()
        for node in graph.nodes:
            if whole and node.record.jit in ("omit", "pass"):
                self.left_out.append(node)
            if node.record is PLACEHOLDER or node not in needed:
                continue
            first, after = len(self.instructions), edges.of(node)
            # a callee with `jit_compile` in a function without it stays a call: it is compiled whole, and nothing in it
            # is checked
            if node.record.flow == "call" and (whole or not node.attrs["f"].jit_compile):
                self._inline(node, slots, whole, edges, after)
            # every result of a function is an Identity
            elif node.record is IDENTITY or whole and node.record.jit == "pass":
                slots[node.outputs[0]._id] = slots[node.inputs[0]._id]
                if after:
                    edges.carried[node.outputs[0]._id] = after
            else:
                ins = tuple([slots[t._id] for t in node.inputs])
                outs = tuple([self.new_slot(t._dtype) for t in node.outputs])
                for t, s in zip(node.outputs, outs, strict=True):
                    slots[t._id] = s
                attrs = whole_attrs(node.attrs) if whole and node.record.has_functions else node.attrs
                self.instructions.append(Instruction(node.record, attrs, ins, outs, node, after))
            edges.done[node] = after, first, len(self.instructions)

    def _inline(self, node: Node, slots: dict[int, int], whole: bool, edges: _Edges, after: frozenset[int]) -> None:
        callee = node.attrs["f"]
        inner = {t._id: slots[x._id] for t, x in zip(callee.inputs, node.inputs, strict=True)}
        within = _Edges(after)
        self._emit(callee, inner, whole, within)
        for outer, t in zip(node.outputs, callee.outputs, strict=True):
            slots[outer._id] = inner[t._id]
            if t._id in within.carried or after:
                edges.carried[outer._id] = within.carried.get(t._id, frozenset()) | after


class _Edges:
    """Collects the control edges of one graph for its schedule: which instructions must run before which."""

    __slots__ = ("outer", "carried", "done")

    def __init__(self, outer: frozenset[int] = frozenset()) -> None:
        self.outer = outer  # what the call of this graph must wait for
        # tensor -> what must run before the `Identity` that produced it; the `Identity` itself is not an instruction
        self.carried: dict = {}
        self.done: dict = {}  # node -> what it waited for, and the range of its instructions

    def of(self, node: Node) -> frozenset:
        """The numbers of the instructions that must run before a node, besides those that produce its inputs."""
        found = self.outer
        for other in node.waits:
            if other in self.done:  # not an assert that was dropped
                after, first, last = self.done[other]
                found = found.union(after, range(first, last))
        if self.carried:
            for t in node.inputs:
                found = found | self.carried.get(t._id, frozenset())
        return found


def last_uses(instructions: Sequence[Instruction], keep: Iterable[int]) -> list:
    """For each instruction, the slots that are unused after it; `keep` are needed to the end."""
    seen = set(keep)
    frees: list = []
    for instruction in reversed(instructions):
        last = []
        for slot in (*instruction.ins, *instruction.outs):
            if slot not in seen:
                seen.add(slot)
                last.append(slot)
        frees.append(tuple(last))
    frees.reverse()
    return frees


def whole_attrs(attrs: Attrs) -> dict:
    """A node's attributes inside a function with `jit_compile`, which then also applies to the bodies of its loops and
    branches."""

    def whole(value: Any) -> Any:
        if isinstance(value, (list, tuple)) and value and isinstance(value[0], FuncGraph):
            return [whole(g) for g in value]
        if not isinstance(value, FuncGraph) or value.jit_compile:
            return value
        return compiled_whole(value)

    return {name: whole(value) for name, value in attrs.items()}


@derived
def compiled_whole(graph: FuncGraph) -> FuncGraph:
    """A copy of a body, marked with `jit_compile`: the body itself may also belong to a function without it."""
    copy = clone(graph)
    copy.jit_compile = True
    return copy


def needed_nodes(graph: FuncGraph, outputs: Iterable[SymbolicTensor], whole: bool = False) -> set:
    """The nodes that outputs or effects depend on; `whole`: without asserts."""
    whole = whole or graph.jit_compile
    needed: set = set()
    stack = [t.op for t in outputs if t.op.graph is graph] + [n for n in graph.nodes if n.record.must_run]
    while stack:
        node = stack.pop()
        if node in needed or whole and node.record.jit == "omit":
            continue
        needed.add(node)
        for tensor in node.inputs:  # a generator takes three times as long
            if tensor._graph is graph:
                stack.append(tensor.op)
        stack += node.waits
    return needed


@derived
def schedule_of(graph: FuncGraph) -> Schedule:
    """The graph's schedule."""
    return Schedule(graph)
