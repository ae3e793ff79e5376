"""The order in which a function's nodes must run: what TensorFlow calls automatic control dependencies.

Reflow runs a graph in program order; TensorFlow runs it by its edges. So an exported function needs an edge wherever
the order matters: from the last write of a variable to a read, from the last write and all reads since to a write, and
from each other effect (prints, asserts, summaries…) to the next. The effect of a call or a loop on a variable is that
of its graphs.
"""

from __future__ import annotations

from collections.abc import Iterable

from reflow.graph.derived import derived
from reflow.graph.func_graph import PLACEHOLDER, FuncGraph
from reflow.graph.graph import Node, SymbolicTensor


class Effects:
    """The effects of a node or a graph: the inputs that it reads or writes as resources, whether it has any other
    effect, and whether it must run even if its outputs are unused.
    """

    __slots__ = ("reads", "writes", "other", "must_run")

    def __init__(
        self, reads: Iterable[int] = (), writes: Iterable[int] = (), other: bool = False, must_run: bool = False
    ) -> None:
        self.reads, self.writes, self.other, self.must_run = set(reads), set(writes), other, must_run

    def add(self, effects: Effects, offset: int = 0) -> None:
        """Add the effects of a graph that takes this one's inputs from position `offset` on."""
        self.reads |= {i + offset for i in effects.reads}
        self.writes |= {i + offset for i in effects.writes}
        self.other = self.other or effects.other
        self.must_run = self.must_run or effects.must_run


def graphs_of(node: Node) -> list[FuncGraph]:
    """The function graphs in a node's attributes."""
    found = []
    for value in node.attrs.values():
        if isinstance(value, FuncGraph):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += [v for v in value if isinstance(v, FuncGraph)]
    return found


def node_effects(node: Node, memo: dict[FuncGraph, Effects] | None = None) -> Effects:
    """The effects of one node; numbers are positions of its inputs."""
    memo = {} if memo is None else memo
    record = node.record
    if record.flow in ("call", "branch", "loop"):
        effects = Effects()
        for graph in graphs_of(node):
            effects.add(graph_effects(graph, memo), 1 if record.flow == "branch" else 0)
        return effects
    if not record.stateful or record.hidden_counter:
        return Effects()
    resources = [i for i, t in enumerate(node.inputs) if t._dtype.name == "resource"]
    reads = record.read_indices.intersection(resources)
    return Effects(reads, reads.symmetric_difference(resources), not resources, record.must_run)


def graph_effects(graph: FuncGraph, memo: dict[FuncGraph, Effects] | None = None) -> Effects:
    """The effects of running a function; numbers are positions of its inputs."""
    memo = {} if memo is None else memo
    found = memo.get(graph)
    if found is None:
        found = memo[graph] = Effects()
        positions = {t._id: i for i, t in enumerate(graph.inputs)}
        for node in graph.nodes:
            effects = node_effects(node, memo)
            for mine, theirs in ((found.reads, effects.reads), (found.writes, effects.writes)):
                mine |= {positions[r] for r in (source(node.inputs[i])._id for i in theirs) if r in positions}
            found.other = found.other or effects.other
            found.must_run = found.must_run or effects.must_run
    return found


def source(tensor: SymbolicTensor) -> SymbolicTensor:
    """The tensor that this resource comes from, through identities, calls and loops that only forward it."""
    while True:
        node = tensor.op
        record = node.record
        if record.identity or record.flow == "loop":
            tensor = node.inputs[tensor.value_index]
            continue
        if record.flow == "call":
            callee = node.attrs["f"]
            inner = source(callee.outputs[tensor.value_index])
            place = next((i for i, t in enumerate(callee.inputs) if t is inner), None)
            if place is not None:
                tensor = node.inputs[place]
                continue
        return tensor


class Order:
    """The control edges of a function: `before[node]` are the nodes it waits for, `must_run` those that always run."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.before: dict[Node, list[Node]] = {}
        self.must_run: list[Node] = []
        self._last_write: dict[int, Node] = {}  # by the id of the resource tensor
        self._reads: dict[int, list[Node]] = {}
        self._last_effect: Node | None = None
        memo: dict[FuncGraph, Effects] = {}
        for node in nodes:
            self._visit(node, node_effects(node, memo))

    def _visit(self, node: Node, effects: Effects) -> None:
        waits = dict.fromkeys(n for n in node.waits if n.record is not PLACEHOLDER)
        written = {source(node.inputs[i])._id for i in effects.writes}
        read = {source(node.inputs[i])._id for i in effects.reads} - written
        for key in sorted(read | written):
            if key in self._last_write:
                waits[self._last_write[key]] = None
        for key in sorted(written):
            waits.update(dict.fromkeys(self._reads.pop(key, ())))
            self._last_write[key] = node
        for key in sorted(read):
            self._reads.setdefault(key, []).append(node)
        if effects.other:
            if self._last_effect is not None:
                waits[self._last_effect] = None
            self._last_effect = node
        if waits:
            self.before[node] = list(waits)
        if effects.must_run:
            self.must_run.append(node)


@derived
def order_of(graph: FuncGraph) -> Order:
    """The control edges of a function's graph."""
    return Order(graph.nodes)


def live_nodes(graph: FuncGraph) -> list[Node]:
    """The nodes that a function's outputs or effects need, in program order, and all its inputs."""
    memo: dict[FuncGraph, Effects] = {}
    live = {t.op for t in graph.inputs}
    pending = [t.op for t in graph.outputs] + [n for n in graph.nodes if node_effects(n, memo).must_run]
    while pending:
        node = pending.pop()
        if node not in live:
            live.add(node)
            pending.extend(t.op for t in node.inputs)
            pending.extend(node.waits)
    return [n for n in graph.nodes if n in live]
