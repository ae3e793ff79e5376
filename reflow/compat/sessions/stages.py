"""Runs a training step in two stages: what it fetches, then the update of the variables.

A session waits for what it fetches, and XLA returns all results of a program at its end. So a loss fetched with a
training step would wait for the gradients and the optimizer. As a separate function it is ready before them: they are
computed while Python continues, up to the next step. A step of an MLP (784-100-10, batch 50, Adam) takes 717 µs in one
stage and 657 in two, one of a small CNN 48.7 ms and 44.1 (medians of alternating calls in one process, on a busy
machine).

The second stage takes tensors of the first as arguments. Cheap values are recomputed in it: constants, reads of
variables, and integers, which are often shapes, for whose values the call would wait.

A variable is read in both stages. So that both read the same value, no other thread may write in between: the locks of
programs are held over both. The first stage must therefore not wait for another thread, which may need these locks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from reflow.compat.sessions.fetches import needed_for
from reflow.compat.sessions.programs import Program, in_order
from reflow.core import dtypes, errors
from reflow.core.resources import commit_lock
from reflow.graph.clone import graphs_in
from reflow.graph.graph import SymbolicTensor
from reflow.graph.node import Node
from reflow.ops.kernels.control.state import read_variable, var_handle
from reflow.ops.kernels.control.vjp import differentiated


class _Cut(NamedTuple):
    """Where a run is divided."""

    first: list[Node]
    second: list[Node]
    passed: list[SymbolicTensor]  # from the first stage to the second


class Staged:
    """Two consecutive programs."""

    def __init__(
        self, session: Any, cut: _Cut, feeds: Sequence[SymbolicTensor], outputs: Sequence[SymbolicTensor]
    ) -> None:
        self._count = len(outputs)
        self.first = Program(session, cut.first, feeds, [*outputs, *cut.passed])
        self.second = Program(session, cut.second, [*feeds, *cut.passed], ())
        self.may_wait = self.first.may_wait
        from reflow.compile.region import compile_lock  # JAX comes with it

        self._compile_lock = compile_lock

    def run(self, values: Sequence[Any]) -> list:
        """Run both, and give what was fetched. Neither is waited for."""
        with self._compile_lock, commit_lock:  # in the order in which a program takes them
            results = self.first.run(values)
            self.second.run([*values, *results[self._count :]])
        return results[: self._count]


def program_of(session: Any, fetches: Sequence[Any], feeds: Sequence[SymbolicTensor], whole: bool) -> Program | Staged:
    """The program that computes fetches from feeds: in two stages where that helps, unless it must be whole."""
    graph, fed = session.graph, {t._id for t in feeds}
    needed = needed_for(fetches, fed)
    for node in graph.invalid:
        if node in needed:
            raise errors.InvalidArgumentError(None, None, graph.invalid[node])
    nodes = in_order(graph, needed, fetches)
    outputs = [f for f in fetches if isinstance(f, SymbolicTensor)]
    cut = None if whole else _divide(nodes, outputs, fed)
    return Program(session, nodes, feeds, outputs) if cut is None else Staged(session, cut, feeds, outputs)


def _divide(nodes: Sequence[Node], outputs: Sequence[SymbolicTensor], fed: set[int]) -> _Cut | None:
    """A cut behind what the outputs need. None if it would not help, or if the difference were visible.

    The second part may only compute, and read and write variables; the first may not write them, nor wait for another
    thread.
    """
    awaited = needed_for(outputs, fed)
    if not outputs or len(awaited) == len(nodes):
        return None
    first, later = [n for n in nodes if n in awaited], [n for n in nodes if n not in awaited]
    if not any(map(_heavy, later)) or any(map(_writes_variables, first)) or not all(map(_updates, later)):
        return None
    if not all(map(_is_calm, first)):
        return None
    again, passed = _again(later, awaited, fed)
    if not all(not t._dtype.is_host_only for t in passed):
        return None
    return _Cut(first, [n for n in nodes if n in again or n not in awaited], passed)


def _again(later: Iterable[Node], awaited: set[Node], fed: set[int]) -> tuple[set[Node], list[SymbolicTensor]]:
    """The nodes of the first stage that run in the second too, and the tensors that it is given."""
    again: set[Node] = set()
    passed: dict[int, SymbolicTensor] = {}
    stack = [t for node in later for t in node.inputs]
    while stack:
        tensor = stack.pop()
        node = tensor.op
        if tensor._id in fed or node not in awaited or node in again:
            continue
        if _cheap(node):
            again.add(node)
            stack.extend(node.inputs)
        else:
            passed[tensor._id] = tensor
    return again, list(passed.values())


def _cheap(node: Node) -> bool:
    record = node.record
    if record is var_handle or record.identity or record is read_variable and not node.waits:
        return True
    integers = all(t._dtype.is_integer or t._dtype.is_bool for t in node.outputs)
    return not record.stateful and not record.flow and not node.waits and (integers or not node.inputs)


def _heavy(node: Node) -> bool:
    """Whether a node is a product or convolution, or the gradient of one."""
    forward = differentiated(node.record, node.attrs)
    return node.record.heavy or forward is not None and forward.heavy


def _variables(node: Node) -> list[int]:
    """The places of the inputs that are variables."""
    return [i for i, t in enumerate(node.inputs) if t._dtype is dtypes.resource and t.op.record is var_handle]


def _writes_variables(node: Node) -> bool:
    """Whether a node may write a variable, itself or in a branch or loop."""
    return (
        any(i not in node.record.read_indices for i in _variables(node))
        or bool(graphs_in(node.attrs)) and _has_resource(node)
    )


def _updates(node: Node) -> bool:
    """Whether a node has no effects other than reading and writing variables."""
    record = node.record
    if record.effect or record.opaque or graphs_in(node.attrs) or record.makes_resource and record is not var_handle:
        return False
    return sum(t._dtype is dtypes.resource for t in node.inputs) == len(_variables(node))


def _is_calm(node: Node) -> bool:
    """Whether a node waits for no other thread, itself or in a branch or loop.

    It runs no Python, and uses no queue or iterator.
    """
    record = node.record
    if record.opaque or record.effect or record.by_session or record.makes_resource and record is not var_handle:
        return False
    if sum(t._dtype is dtypes.resource for t in node.inputs) != len(_variables(node)):
        return False
    return all(_is_calm(inner) for graph in graphs_in(node.attrs) for inner in graph.nodes)


def _has_resource(node: Node) -> bool:
    return any(t._dtype is dtypes.resource for t in node.inputs)
