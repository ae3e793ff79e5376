"""What is derived from a graph: its schedule, its plan, its gradients.

A function under `@derived` is computed once for each graph (and each further argument). The results are kept with the
graph until it changes: a graph counts its changes in `Graph.revision`, which every new or rewritten node and every
change of inputs or outputs raises. The layers above define what they derive; none of them compares sizes.

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
    """What has been derived from one graph: for each function under `@derived` its results, by its further arguments."""

    __slots__ = ("revision", "results")

    def __init__(self) -> None:
        self.revision = 0  # the graph's, when the oldest of the results was computed
        self.results: dict[derived, dict[tuple, Any]] = {}


class derived(Generic[*Args, Result]):
    """A function of a graph, computed again only if the graph has changed. Its further arguments must be hashable."""

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
        """The results that have been computed for a graph as it is now."""
        kept = graph.derivations
        return list(kept.results.get(self, {}).values()) if kept.revision == graph.revision else []

    def forget(self, graph: FuncGraph) -> None:
        """Drop the results for a graph: the next caller computes them again."""
        graph.derivations.results.pop(self, None)
