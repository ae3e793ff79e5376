"""Results derived from a graph: its schedule, its plan, its gradients.

A function under `@derived` is computed once for each graph (and any further arguments). Its results are cached with the
graph until it changes: `Graph.revision` counts changes, and every new or rewritten node and every change of inputs or
outputs increments it. Higher layers define what they derive.

    @derived
    def schedule_of(graph: FuncGraph) -> Schedule:
        return Schedule(graph)
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, TypeVarTuple

if TYPE_CHECKING:
    from reflow.graph.func_graph import FuncGraph

Args = TypeVarTuple("Args")
Result = TypeVar("Result")


class Derivations:
    """The results derived from one graph: for each function under `@derived`, by its further arguments."""

    __slots__ = ("revision", "results")

    def __init__(self) -> None:
        self.revision = 0  # the graph's revision when the oldest result was computed
        self.results: dict[derived, dict[tuple, Any]] = {}


class derived(Generic[*Args, Result]):
    """Memoize a function of a graph until the graph changes. Further arguments must be hashable."""

    def __init__(self, compute: Callable[[FuncGraph, *Args], Result]) -> None:
        self.compute = compute
        functools.update_wrapper(self, compute)

    def __call__(self, graph: FuncGraph, *args: *Args) -> Result:
        kept = graph.derivations
        if kept.revision != graph.revision:
            kept.revision, kept.results = graph.revision, {}
        results = kept.results.get(self)
        if results is None:
            results = kept.results[self] = {}
        if args not in results:
            results[args] = self.compute(graph, *args)
        return results[args]

    def known(self, graph: FuncGraph) -> list[Result]:
        """The cached results for a graph in its current state."""
        kept = graph.derivations
        return list(kept.results.get(self, {}).values()) if kept.revision == graph.revision else []

    def forget(self, graph: FuncGraph) -> None:
        """Drop the cached results for a graph."""
        graph.derivations.results.pop(self, None)
