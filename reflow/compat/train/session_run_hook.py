"""`SessionRunHook`: callbacks around each step of a monitored session."""

from __future__ import annotations

import collections
from typing import Any

from reflow.api.export import export

_Args = collections.namedtuple("_Args", ["fetches", "feed_dict", "options"])
_Values = collections.namedtuple("_Values", ["results", "options", "run_metadata"])


@export("compat.v1.train.SessionRunArgs", "estimator.SessionRunArgs", "compat.v1.estimator.SessionRunArgs")
class SessionRunArgs(_Args):
    """What a hook adds to a step: `fetches`, `feed_dict`, `options`.

    >>> class Watch(tf.compat.v1.train.SessionRunHook):
    ...     def before_run(self, run_context):
    ...         return tf.compat.v1.train.SessionRunArgs("loss:0")
    ...     def after_run(self, run_context, run_values):
    ...         print("loss:", run_values.results.item())
    >>> with tf.Graph().as_default():
    ...     loss = tf.constant(0.5, name="loss")
    ...     doubled = loss * 2.0
    ...     with tf.compat.v1.train.SingularMonitoredSession([Watch()]) as session:
    ...         session.run(doubled).item()
    loss: 0.5
    1.0
    """

    def __new__(cls, fetches, feed_dict=None, options=None):
        return super().__new__(cls, fetches, feed_dict, options)


@export("compat.v1.train.SessionRunValues", "estimator.SessionRunValues", "compat.v1.estimator.SessionRunValues")
class SessionRunValues(_Values):
    """What a hook gets after a step: `results` of its fetches, `options`, `run_metadata`.

    >>> tf.compat.v1.train.SessionRunValues(results=0.5, options=None, run_metadata=None).results
    0.5
    """


@export("compat.v1.train.SessionRunContext", "estimator.SessionRunContext", "compat.v1.estimator.SessionRunContext")
class SessionRunContext:
    """The context of a step for hooks: the requested fetches, the session, and a way to stop.

    >>> class Stop(tf.compat.v1.train.SessionRunHook):
    ...     def after_run(self, run_context, run_values):
    ...         print("asked for", run_context.original_args.fetches.name)
    ...         run_context.request_stop()
    >>> with tf.Graph().as_default():
    ...     x = tf.constant(0.5, name="x")
    ...     with tf.compat.v1.train.SingularMonitoredSession([Stop()]) as session:
    ...         _ = session.run(x)
    ...         session.should_stop()
    asked for x:0
    True
    """

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
    """Something that is called when training begins and ends, and before and after each step. Each method may be left
    out.

    >>> class Told(tf.compat.v1.train.SessionRunHook):
    ...     def begin(self):
    ...         print("training begins")
    ...     def end(self, session):
    ...         print("training ends")
    >>> with tf.Graph().as_default():
    ...     x = tf.constant(0.5)
    ...     with tf.compat.v1.train.SingularMonitoredSession([Told()]) as session:
    ...         session.run(x).item()
    training begins
    0.5
    training ends
    """

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
