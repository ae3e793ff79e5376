"""TensorFlow's standard hooks: logging, stopping, checking for NaN, waiting, final values, feeding."""

from __future__ import annotations

import time

import numpy as np

from reflow.api.export import export
from reflow.compat.behavior import get_default_graph
from reflow.compat.train.global_step import get_or_create_global_step
from reflow.compat.train.session_run_hook import SessionRunArgs, SessionRunHook
from reflow.core.logging import logger


def _exactly_one(first, second, none: str, both: str) -> None:
    if (first is None) == (second is None):
        raise ValueError(none if first is None else both)


@export("compat.v1.train.SecondOrStepTimer", "estimator.SecondOrStepTimer", "compat.v1.estimator.SecondOrStepTimer")
class SecondOrStepTimer:
    """Triggers every few seconds, or every few steps.

    >>> timer = tf.compat.v1.train.SecondOrStepTimer(every_steps=10)
    >>> _ = timer.update_last_triggered_step(0)
    >>> timer.should_trigger_for_step(5), timer.should_trigger_for_step(10)
    (False, True)
    """

    def __init__(self, every_secs=None, every_steps=None):
        _exactly_one(
            every_secs, every_steps, "Either every_secs or every_steps should be provided.",
            "Can not provide both every_secs and every_steps.",
        )
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self):
        """Starts over."""
        self._last_triggered_step: int | None = None
        self._last_triggered_time: float | None = None

    def should_trigger_for_step(self, step) -> bool:
        """Whether it is time at this step; never twice for the same one."""
        if self._last_triggered_step is None:
            return True
        if self._last_triggered_step == step:
            return False
        if self._every_secs is not None:
            return time.time() >= (self._last_triggered_time or 0.0) + self._every_secs
        return step >= self._last_triggered_step + self._every_steps

    def update_last_triggered_step(self, step):
        """Note that something was done; returns the seconds and steps since the last time, or (None, None)."""
        now = time.time()
        if self._last_triggered_time is None or self._last_triggered_step is None:
            elapsed: tuple = (None, None)
        else:
            elapsed = now - self._last_triggered_time, step - self._last_triggered_step
        self._last_triggered_time, self._last_triggered_step = now, step
        return elapsed

    def last_triggered_step(self):
        """The step at which something was done last, or None."""
        return self._last_triggered_step


class NeverTriggerTimer(SecondOrStepTimer):
    """A timer that never fires."""

    def __init__(self):
        self.reset()

    def should_trigger_for_step(self, step):
        return False

    def update_last_triggered_step(self, step):
        return None, None


@export("compat.v1.train.LoggingTensorHook", "estimator.LoggingTensorHook", "compat.v1.estimator.LoggingTensorHook")
class LoggingTensorHook(SessionRunHook):
    """Logs the values of tensors every few steps or seconds, or at the end.

    >>> with tf.Graph().as_default():
    ...     loss = tf.constant(0.5, name="loss")
    ...     hook = tf.compat.v1.train.LoggingTensorHook(
    ...         {"loss": loss}, every_n_iter=100, formatter=lambda values: f"{values['loss']}")
    ...     with tf.compat.v1.train.SingularMonitoredSession([hook]) as session:
    ...         session.run(loss).item()      # with `logging.set_verbosity(logging.INFO)` the log says 0.5
    0.5

    Args:
      tensors: tensors or their names, in a list or in a dictionary by tags.
      formatter: a function from a dictionary of tags and values to what is logged.
    """

    def __init__(self, tensors, every_n_iter=None, every_n_secs=None, at_end=False, formatter=None):
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs must be provided."
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        self._tensors = tensors if isinstance(tensors, dict) else {_tag(t): t for t in tensors}
        self._tags = list(self._tensors)
        self._formatter, self._at_end = formatter, at_end
        self._timer = (
            NeverTriggerTimer() if only_at_end else SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter)
        )

    def begin(self):
        self._timer.reset()
        self._iter_count = 0
        graph = get_default_graph()
        self._current = {tag: graph.as_graph_element(_element(t)) for tag, t in self._tensors.items()}

    def before_run(self, run_context):
        self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
        return SessionRunArgs(self._current) if self._should_trigger else None

    def _log(self, values):
        old = np.get_printoptions()
        np.set_printoptions(suppress=True)
        elapsed, _ = self._timer.update_last_triggered_step(self._iter_count)
        if self._formatter:
            logger.info(self._formatter(values))
        else:
            stats = ", ".join(f"{tag} = {values[tag]}" for tag in self._tags)
            logger.info(stats if elapsed is None else f"{stats} ({elapsed:.3f} sec)")
        np.set_printoptions(**old)

    def after_run(self, run_context, run_values):
        if self._should_trigger:
            self._log(run_values.results)
        self._iter_count += 1

    def end(self, session):
        if self._at_end:
            self._log(session.run(self._current))


def _element(thing):
    """What a session fetches for a tensor, a variable or a name."""
    return thing._as_graph_element() if hasattr(thing, "_as_graph_element") else thing


def _tag(thing) -> str:
    return thing.name if hasattr(thing, "name") else thing


@export("compat.v1.train.StopAtStepHook", "estimator.StopAtStepHook", "compat.v1.estimator.StopAtStepHook")
class StopAtStepHook(SessionRunHook):
    """Stops after some steps, or at a step.

    >>> with tf.Graph().as_default():
    ...     count = tf.compat.v1.assign_add(tf.compat.v1.train.get_or_create_global_step(), 1)
    ...     hook = tf.compat.v1.train.StopAtStepHook(num_steps=3)
    ...     with tf.compat.v1.train.SingularMonitoredSession([hook]) as session:
    ...         while not session.should_stop():
    ...             done = session.run(count).item()
    >>> done
    3
    """

    def __init__(self, num_steps=None, last_step=None):
        _exactly_one(
            num_steps, last_step, "One of num_steps or last_step must be specified.",
            "Only one of num_steps or last_step can be specified.",
        )
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self):
        self._global_step_tensor = get_or_create_global_step()

    def after_create_session(self, session, coord):
        if self._last_step is None:
            self._last_step = session.run(self._global_step_tensor) + self._num_steps

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context, run_values):
        # what was read in the step may be the number before or after it: ask again when it may be the last
        if (
            run_values.results + 1 >= self._last_step
            and run_context.session.run(self._global_step_tensor) >= self._last_step
        ):
            run_context.request_stop()


@export(
    "compat.v1.train.NanLossDuringTrainingError", "estimator.NanLossDuringTrainingError",
    "compat.v1.estimator.NanLossDuringTrainingError",
)
class NanLossDuringTrainingError(RuntimeError):
    """The loss is not a number.

    >>> with tf.Graph().as_default():
    ...     loss = tf.constant(float("nan"))
    ...     hook = tf.compat.v1.train.NanTensorHook(loss)
    ...     try:
    ...         with tf.compat.v1.train.SingularMonitoredSession([hook]) as session:
    ...             session.run(loss)
    ...     except tf.compat.v1.train.NanLossDuringTrainingError as error:
    ...         print(error)
    NaN loss during training.
    """

    def __str__(self):
        return "NaN loss during training."


@export("compat.v1.train.NanTensorHook", "estimator.NanTensorHook", "compat.v1.estimator.NanTensorHook")
class NanTensorHook(SessionRunHook):
    """Raises, or stops, when a tensor is NaN.

    >>> with tf.Graph().as_default():
    ...     loss = tf.constant(float("nan"))
    ...     hook = tf.compat.v1.train.NanTensorHook(loss, fail_on_nan_loss=False)
    ...     with tf.compat.v1.train.SingularMonitoredSession([hook]) as session:
    ...         _ = session.run(loss)
    ...         session.should_stop()
    True
    """

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self._loss_tensor, self._fail_on_nan_loss = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context):
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context, run_values):
        if np.isnan(run_values.results):
            failure_message = "Model diverged with loss = NaN."
            if self._fail_on_nan_loss:
                logger.error(failure_message)
                raise NanLossDuringTrainingError
            logger.warning(failure_message)
            run_context.request_stop()


@export(
    "compat.v1.train.GlobalStepWaiterHook", "estimator.GlobalStepWaiterHook", "compat.v1.estimator.GlobalStepWaiterHook"
)
class GlobalStepWaiterHook(SessionRunHook):
    """Makes a worker wait until the others have reached a step.

    >>> with tf.Graph().as_default():
    ...     count = tf.compat.v1.assign_add(tf.compat.v1.train.get_or_create_global_step(), 1)
    ...     hook = tf.compat.v1.train.GlobalStepWaiterHook(
    ...         wait_until_step=0)      # a later step: wait for the other workers
    ...     with tf.compat.v1.train.SingularMonitoredSession([hook]) as session:
    ...         session.run(count).item()
    1
    """

    def __init__(self, wait_until_step):
        self._wait_until_step = wait_until_step

    def begin(self):
        self._worker_is_started = False
        self._global_step_tensor = get_or_create_global_step()

    def before_run(self, run_context):
        if self._worker_is_started:
            return None
        if self._wait_until_step <= 0:
            self._worker_is_started = True
            return None
        logger.info("Waiting for global step %d before starting training.", self._wait_until_step)
        while True:
            step = run_context.session.run(self._global_step_tensor)
            if step >= self._wait_until_step:
                self._worker_is_started = True
                return None
            time.sleep(0.5)


@export("compat.v1.train.FinalOpsHook", "estimator.FinalOpsHook", "compat.v1.estimator.FinalOpsHook")
class FinalOpsHook(SessionRunHook):
    """Evaluates tensors at the end of training.

    >>> with tf.Graph().as_default():
    ...     count = tf.compat.v1.assign_add(tf.compat.v1.train.get_or_create_global_step(), 1)
    ...     hook = tf.compat.v1.train.FinalOpsHook(tf.constant("the end"))
    ...     with tf.compat.v1.train.SingularMonitoredSession([hook]) as session:
    ...         _ = session.run(count)
    >>> hook.final_ops_values
    b'the end'
    """

    def __init__(self, final_ops, final_ops_feed_dict=None):
        self._final_ops, self._final_ops_feed_dict = final_ops, final_ops_feed_dict
        self._final_ops_values = None

    final_ops_values = property(lambda self: self._final_ops_values, doc="The values, after the end.")

    def end(self, session):
        if self._final_ops is not None:
            self._final_ops_values = session.run(self._final_ops, feed_dict=self._final_ops_feed_dict)


@export("compat.v1.train.FeedFnHook", "estimator.FeedFnHook", "compat.v1.estimator.FeedFnHook")
class FeedFnHook(SessionRunHook):
    """Feeds what a function returns at each step.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [])
    ...     square = x * x
    ...     hook = tf.compat.v1.train.FeedFnHook(lambda: {x: 3.0})
    ...     with tf.compat.v1.train.SingularMonitoredSession([hook]) as session:
    ...         session.run(square).item()
    9.0
    """

    def __init__(self, feed_fn):
        self.feed_fn = feed_fn

    def before_run(self, run_context):
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


