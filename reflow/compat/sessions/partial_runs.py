"""`Session.partial_run`: one run of a graph in several steps, with new feeds in each.

Results of a step that later steps need are kept and fed to them. So no operation runs twice, and random numbers stay
the same.
"""

from __future__ import annotations

import itertools
from typing import Any

from reflow.compat.sessions import expansions
from reflow.compat.sessions.fetches import Fetches, needed_for, public_value
from reflow.core import dtypes, errors
from reflow.graph.graph import SymbolicTensor
from reflow.graph.node import Node


class _Run:
    """One run in steps: what it may fetch and feed, and what is known or done up to now."""

    def __init__(self, fetches: list[Any], feeds: list[SymbolicTensor]) -> None:
        self.fetches = {_key(f) for f in fetches}
        self.feeds = {t._id for t in feeds}
        self.needed = needed_for(fetches, self.feeds)
        self.values: dict[SymbolicTensor, Any] = {}  # fed or computed
        self.fed: set[int] = set()
        self.fetched: set[int] = set()
        self.done: set[Node] = set()


def _key(element: Any) -> int:
    return id(element) if isinstance(element, Node) else element._id


def _fed_in_steps(feed: Any) -> list:
    """The tensors that stand for an object in the feeds of a run in steps."""
    expansion = expansions.of(feed)
    return [feed] if expansion is None or expansion.feed_in_steps is None else expansion.feed_in_steps(feed)


class PartialRuns:
    """The runs in steps of a session, by their handles."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._runs: dict[str, _Run] = {}
        self._numbers = itertools.count()

    def begin(self, fetches: Any, feeds: Any) -> str:
        graph = self._session.graph
        tensors = [graph.as_graph_element(tensor, allow_operation=False) for f in feeds for tensor in _fed_in_steps(f)]
        wanted = Fetches(graph, fetches).flat
        if not wanted:
            raise errors.InvalidArgumentError(None, None, "Must specify at least one target to fetch or execute.")
        handle = f"{next(self._numbers)};partial_run"
        self._runs[handle] = _Run(wanted, tensors)
        return handle

    def step(self, handle: str, fetches: Any, feed_dict: dict) -> Any:
        run = self._runs.get(handle)
        if run is None:
            raise errors.InvalidArgumentError(None, None, "Must run 'setup' before performing partial runs!")
        for tensor, value in self._session.feeds(feed_dict):
            self._feed(run, tensor, value)
        wanted = Fetches(self._session.graph, fetches)
        for element in wanted.flat:
            if _key(element) not in run.fetches:
                raise errors.InvalidArgumentError(
                    None, None, f"Tensor {element.name} was not specified in partial_run_setup."
                )
            if _key(element) in run.fetched:
                raise errors.InvalidArgumentError(None, None, f"The fetch {element.name} has already been fetched.")
        run.fetched |= {_key(element) for element in wanted.flat}
        results = self._computed(run, wanted.flat)
        return wanted.pack([public_value(r) for r in results])

    @staticmethod
    def _feed(run: _Run, tensor: SymbolicTensor, value: Any) -> None:
        if tensor._id not in run.feeds:
            raise errors.InvalidArgumentError(
                None, None, f"The feed {tensor.name} was not specified in partial_run_setup."
            )
        if tensor._id in run.fed:
            raise errors.InvalidArgumentError(None, None, f"The feed {tensor.name} has already been fed.")
        run.fed.add(tensor._id)
        run.values[tensor] = value

    def _computed(self, run: _Run, fetches: list[Any]) -> list[Any]:
        """The values of the fetched tensors.

        Everything that other steps may need of what runs now is computed along.
        """
        known = {t._id for t in run.values}
        missing = [f for f in fetches if (f not in run.done if isinstance(f, Node) else f._id not in known)]
        now = {n for n in needed_for(missing, known) if n not in run.done}
        later = run.needed - now - run.done
        kept = [
            t for n in now for t in n.outputs
            if t._dtype not in (dtypes.resource, dtypes.variant) and t._id not in known
            and any(u in later for u in t.consumers())
        ]
        tensors = list({t._id: t for t in [*(f for f in missing if isinstance(f, SymbolicTensor)), *kept]}.values())
        ops = [f for f in missing if isinstance(f, Node)]
        found = self._session.run([*tensors, *ops], run.values) if tensors or ops else []
        run.values.update(zip(tensors, found, strict=False))
        run.done |= now
        return [run.values[f] for f in fetches if isinstance(f, SymbolicTensor)]
