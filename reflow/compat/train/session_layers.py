"""Sessions around a session: each layer adds one thing to `run`.

A monitored session consists of three of them: hooks around each step (`HookedSession`), a coordinator that is told of
failures and asked whether to stop (`CoordinatedSession`), and recovery from the loss of a machine
(`RecoverableSession`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from reflow.compat.protos import RunMetadata, RunOptions
from reflow.compat.train.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from reflow.core import errors
from reflow.core.logging import logger
from reflow.train.coordinator import Coordinator

#: what a process does that was stopped from outside: the session is made again
PREEMPTION_ERRORS = (errors.AbortedError, errors.UnavailableError)


class StepContext:
    """What a function given to `run_step_fn` gets: the session, and a way to run with hooks."""

    def __init__(self, session: Any, run_with_hooks_fn: Callable) -> None:
        self._session, self._run_with_hooks = session, run_with_hooks_fn

    session = property(lambda self: self._session)

    def run_with_hooks(self, *args, **kwargs):
        """The same as `MonitoredSession.run`."""
        return self._run_with_hooks(*args, **kwargs)

    def request_stop(self):
        """Leave the step function, and stop training."""
        raise StopIteration("step_fn has requested the iterations to stop.")


class WrappedSession:
    """A session that hands everything on to another one."""

    def __init__(self, sess: Any) -> None:
        self._sess = sess

    graph = property(lambda self: self._sess.graph)
    sess_str = property(lambda self: self._sess.sess_str)

    def should_stop(self) -> bool:
        """Whether no more steps should run: this layer or one below says so, or the session is closed."""
        if self._check_stop() or not self._sess:
            return True
        return isinstance(self._sess, WrappedSession) and self._sess.should_stop()

    def _check_stop(self) -> bool:
        """What this layer says about it."""
        return False

    def close(self) -> None:
        """Close the session below, once. A machine that is lost already is no error."""
        if not self._sess:
            return
        try:
            self._sess.close()
        except PREEMPTION_ERRORS as error:
            logger.error("An error occurred when attempting to close the session: %s", error)
        finally:
            self._sess = None

    def run(self, *args, **kwargs):
        return self._sess.run(*args, **kwargs)

    def run_step_fn(self, step_fn: Callable, raw_session: Any, run_with_hooks: Callable | None) -> Any:
        return step_fn(StepContext(raw_session, run_with_hooks or self.run))


class RecoverableSession(WrappedSession):
    """A session that is made again when the machine it ran on is lost."""

    def __init__(self, sess_creator: Any) -> None:
        self._sess_creator = sess_creator
        super().__init__(self._create_session())

    def _create_session(self) -> Any:
        while True:
            try:
                return self._sess_creator.create_session()
            except PREEMPTION_ERRORS as error:
                logger.info(
                    "An error was raised while a session was being created. It will be made again. Error: %s", error
                )

    def _check_stop(self) -> bool:
        if not self._sess:
            return True
        try:
            return self._sess._check_stop()
        except PREEMPTION_ERRORS as error:
            self._lose(error)
            self._sess = self._create_session()
            return False
        except Exception:  # a failed session has nothing more to run
            return True

    def _lose(self, error: Exception) -> None:
        logger.info(
            "An error was raised. This may be due to a preemption. A new session will be made. Error: %s", error
        )
        self.close()

    def _retried(self, step: Callable) -> Any:
        """What `step` makes of a session that lasts until the end of it."""
        while True:
            try:
                if not self._sess:
                    self._sess = self._create_session()
                return step(self._sess)
            except PREEMPTION_ERRORS as error:
                self._lose(error)

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        return self._retried(
            lambda sess: sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)
        )

    def run_step_fn(self, step_fn: Callable, raw_session: Any, run_with_hooks: Callable | None) -> Any:
        return self._retried(lambda sess: sess.run_step_fn(step_fn, raw_session, sess.run))


class CoordinatedSession(WrappedSession):
    """A session whose failures have a cause that a coordinator may know, and which stops when that does."""

    def __init__(self, sess: Any, coord: Coordinator, stop_grace_period_secs: float = 120) -> None:
        super().__init__(sess)
        self._coord, self._grace = coord, stop_grace_period_secs

    def _check_stop(self) -> bool:
        self._coord.raise_requested_exception()
        return self._coord.should_stop()

    def close(self) -> None:
        self._coord.request_stop()
        try:
            self._coord.join(stop_grace_period_secs=self._grace, ignore_live_threads=True)
        finally:
            try:
                super().close()
            except Exception as error:  # `join` has raised what matters
                logger.info("An error occurred when attempting to close the session: %s", error)

    def run(self, *args, **kwargs):
        try:
            return self._sess.run(*args, **kwargs)
        except PREEMPTION_ERRORS:
            raise
        except Exception as error:
            # a thread may have lost its machine, and cancelled this step: its error is the cause
            try:
                self._coord.raise_requested_exception()
            except PREEMPTION_ERRORS:
                raise
            except Exception:
                raise error from None
            raise


class HookedSession(WrappedSession):
    """A session that calls hooks before and after each step."""

    def __init__(self, sess: Any, hooks: Iterable[SessionRunHook]) -> None:
        super().__init__(sess)
        self._hooks, self._should_stop = hooks, False

    def _check_stop(self) -> bool:
        return self._should_stop

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._sess)
        options = options or RunOptions()
        run_metadata = run_metadata or RunMetadata()
        wanted = {"caller": fetches}
        feeds = self._ask(context, wanted, feed_dict, options)
        values = super().run(fetches=wanted, feed_dict=feeds, options=options, run_metadata=run_metadata)
        for hook in self._hooks:
            hook.after_run(context, SessionRunValues(values.get(hook), options, run_metadata))
        self._should_stop = self._should_stop or context.stop_requested
        return values["caller"]

    def _ask(self, context, wanted: dict, feed_dict, options):
        """What the hooks want to fetch and feed, added to what the user wants."""
        hook_feeds: dict = {}
        for hook in self._hooks:
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                wanted[hook] = request.fetches
            if request.feed_dict:
                _raise_if_common(hook_feeds, request.feed_dict, "Same tensor is fed by two hooks.")
                hook_feeds.update(request.feed_dict)
            if request.options:
                merge_options(options, request.options)
        if not hook_feeds or not feed_dict:
            return hook_feeds or feed_dict
        _raise_if_common(feed_dict, hook_feeds, "Same tensor is fed by a SessionRunHook and user.")
        return {**feed_dict, **hook_feeds}


def _raise_if_common(feeds: dict, others: dict, message: str) -> None:
    common = feeds.keys() & others.keys()
    if common:
        raise RuntimeError(f"{message} Conflict(s): {list(common)}")


def merge_options(options: Any, other: Any) -> None:
    """Merge a hook's request into the options of a step: the larger numbers, and every tensor that one watches."""
    for field in ("trace_level", "timeout_in_ms", "inter_op_thread_pool"):
        setattr(options, field, max(getattr(options, field), getattr(other, field)))
    for field in ("output_partition_graphs", "report_tensor_allocations_upon_oom"):
        setattr(options, field, getattr(options, field) or getattr(other, field))
    options.debug_options.debug_tensor_watch_opts.extend(other.debug_options.debug_tensor_watch_opts)
    options.debug_options.reset_disk_byte_usage |= other.debug_options.reset_disk_byte_usage
