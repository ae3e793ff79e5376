"""`SessionRunHook`: what is done around each step of a monitored session."""

from __future__ import annotations

import collections
from typing import Any

from reflow.api.export import export

_Args = collections.namedtuple("_Args", ["fetches", "feed_dict", "options"])
_Values = collections.namedtuple("_Values", ["results", "options", "run_metadata"])


@export("compat.v1.train.SessionRunArgs", "estimator.SessionRunArgs", "compat.v1.estimator.SessionRunArgs")
class SessionRunArgs(_Args):
    """What a hook adds to a step: `fetches`, `feed_dict`, `options`."""

    def __new__(cls, fetches, feed_dict=None, options=None):
        return super().__new__(cls, fetches, feed_dict, options)


@export("compat.v1.train.SessionRunValues", "estimator.SessionRunValues", "compat.v1.estimator.SessionRunValues")
class SessionRunValues(_Values):
    """What a hook gets after a step: `results` of its fetches, `options`, `run_metadata`."""


@export("compat.v1.train.SessionRunContext", "estimator.SessionRunContext", "compat.v1.estimator.SessionRunContext")
class SessionRunContext:
    """A step as hooks see it: what the user asked for, the session, and a way to stop."""

    def __init__(self, original_args, session):
        self._original_args, self._session = original_args, session
        self._stop_requested = False

    original_args = property(lambda self: self._original_args, doc="The `SessionRunArgs` of the user.")
    session = property(lambda self: self._session, doc="The session.")
    stop_requested = property(lambda self: self._stop_requested, doc="Whether a hook asked to stop.")

    def request_stop(self):
        """Let this step be the last."""
        self._stop_requested = True


@export("compat.v1.train.SessionRunHook", "estimator.SessionRunHook", "compat.v1.estimator.SessionRunHook")
class SessionRunHook:
    """Something that is called when training begins and ends, and before and after each step. Each method may be left out."""

    def begin(self) -> None:
        """Called once, before the session is made: nodes may be added to the graph."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called when a session was made; the graph is final now."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Called before a step; returns what to fetch and feed besides what the user asked for."""
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Called after a step with what was asked for."""

    def end(self, session: Any) -> None:
        """Called at the end, unless it came by an error."""
