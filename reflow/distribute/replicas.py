"""Replicas in lockstep: one function runs as several replicas, which rendezvous where they exchange values.

Each replica runs on its own thread, but only one at a time: replica 0 runs until it ends or reaches a *meeting*
(`merge_call`, `all_reduce`, the creation of a variable), then replica 1 does, and so on. When all have arrived, the
calling thread runs the meeting with the values of all of them, and each continues with its part of the result. So a
step is deterministic, and a traced step is one graph that holds every replica's nodes.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import Any

from reflow.core.context import state
from reflow.core.name_scope import name_scope

#: what a graph knows about the line that adds nodes: each replica has its own while it waits
_GRAPH_SCOPES = ("scope_now", "_label", "control_stack", "_scope_attrs")


class Abandoned(BaseException):
    """Raised in a replica that waits at a meeting which will not take place, because another replica failed."""


class Meeting:
    """What a replica waits for: a function of the values of all replicas, called once."""

    def __init__(self, hold: Callable[..., Sequence[Any]], brought: Any):
        self.hold, self.brought = hold, brought


class Replica(threading.Thread):
    """One replica: a thread that runs on command, in the context of the thread that started it."""

    def __init__(self, function: Callable[[], Any], context: Any, index: int):
        super().__init__(name=f"reflow-replica-{index}", daemon=True)
        self.function, self.context, self.index = function, context, index
        self.surroundings = state.surroundings()
        self.scopes = _scopes_of(state.graph)
        self.go, self.paused = threading.Semaphore(0), threading.Semaphore(0)
        self.meeting: Meeting | None = None
        self.answer: Any = None
        self.result: Any = None
        self.error: BaseException | None = None
        self.ended = self.abandoned = False

    def run(self) -> None:
        self.go.acquire()
        try:
            if not self.abandoned:
                state.put(self.surroundings)
                with self.context, self._scope():
                    self.result = self.function()
        except Abandoned:
            pass
        except BaseException as error:  # handed to the thread that called `run_in_step`
            self.error = error
        self.ended = True
        self.paused.release()

    def _scope(self) -> Any:
        return name_scope(f"replica_{self.index}") if self.index else contextlib.nullcontext()

    def advance(self) -> None:
        """Let the replica run to its next meeting, or to its end; called by the other thread."""
        if not self.is_alive():
            self.start()
        graph = self.surroundings.get("graph")
        outside = _set_scopes(graph, self.scopes)
        try:
            self.go.release()
            self.paused.acquire()
        finally:
            self.scopes = _set_scopes(graph, outside)

    def meet(self, meeting: Meeting) -> Any:
        """Wait until all replicas have arrived; called by the replica itself."""
        # the others could not come: its lock is held by this replica
        if state.graph is not self.surroundings.get("graph"):
            raise RuntimeError(
                "`merge_call` called while defining a new graph or a tf.function. This can often happen if the "
                "function `fn` passed to `strategy.run()` contains a nested `@tf.function`, or a control flow "
                "statement, in which replicas exchange values. Wrap `fn` itself or the whole `strategy.run` "
                "in a `tf.function` instead."
            )
        self.meeting = meeting
        self.paused.release()
        self.go.acquire()
        self.meeting = None
        if self.abandoned:
            raise Abandoned
        return self.answer


def _scopes_of(graph: Any) -> tuple:
    return () if graph is None else tuple(getattr(graph, name) for name in _GRAPH_SCOPES)


def _set_scopes(graph: Any, scopes: tuple) -> tuple:
    """Exchange what a graph knows about the line that adds nodes; returns what it knew before."""
    before = _scopes_of(graph)
    for name, value in zip(_GRAPH_SCOPES, scopes, strict=False):
        setattr(graph, name, value)
    return before


def meet(hold: Callable[..., Sequence[Any]], brought: Any) -> Any:
    """Wait for the other replicas; `hold` gets the value of each and returns each one's part of the result."""
    replica = threading.current_thread()
    if getattr(state.replica_context, "alone", False):
        return hold([brought])[0]
    if not isinstance(replica, Replica):
        raise RuntimeError(
            "Replicas can only exchange values in the function that `strategy.run` calls, on the "
            "thread that it calls it on."
        )
    if state.graph is not replica.surroundings.get("graph"):
        raise RuntimeError(
            "`merge_call` called while defining a new graph or a tf.function: replicas cannot exchange values inside a "
            "nested tf.function, a branch or a loop. Decorate the function that `strategy.run` gets, or the one "
            "that calls `strategy.run`."
        )
    return replica.meet(Meeting(hold, brought))


def run_in_step(functions: Sequence[Callable[[], Any]], contexts: Sequence[Any]) -> list:
    """The results of one function for each replica.

    A single replica has nothing to wait for: it runs on the calling thread.
    """
    if getattr(contexts[0], "alone", False):
        with contexts[0]:
            return [functions[0]()]
    replicas = [Replica(f, c, i) for i, (f, c) in enumerate(zip(functions, contexts, strict=True))]
    try:
        while True:
            for replica in replicas:
                replica.advance()
                if replica.error is not None:
                    raise replica.error
            if all(r.ended for r in replicas):
                return [r.result for r in replicas]
            _hold_meeting(replicas)
    finally:
        _abandon(replicas)


def _hold_meeting(replicas: list[Replica]) -> None:
    if any(r.ended for r in replicas):
        raise RuntimeError(
            "Some replicas ended while others wait at a merge_call or an all_reduce: every replica "
            "must call them equally often."
        )
    meetings = [r.meeting for r in replicas]
    brought = [m.brought for m in meetings if m is not None]
    first = meetings[0]
    assert first is not None
    for replica, answer in zip(replicas, first.hold(brought), strict=True):
        replica.answer = answer


def _abandon(replicas: list[Replica]) -> None:
    """End the threads of replicas that did not come to their end."""
    for replica in replicas:
        if replica.is_alive() and not replica.ended:
            replica.abandoned = True
            replica.go.release()
        if replica.is_alive():
            replica.join()
