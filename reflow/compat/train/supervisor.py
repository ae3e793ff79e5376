"""`tf.compat.v1.train.Supervisor`: the oldest API for training with checkpoints, summaries and recovery; and
`basic_train_loop`.

A supervisor finds in the graph what it needs (or gets it as arguments), finalizes the graph, provides a session that is
restored or initialized, and runs *services* during training: threads that save checkpoints, write summaries and measure
the speed.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from reflow.api.export import export
from reflow.api.framework.graph_names import write_graph
from reflow.compat import graph_variables, meta_graph
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.protos import SessionLog, Summary
from reflow.compat.summary import merge_all
from reflow.compat.summary_files import FileWriter
from reflow.compat.train.global_step import get_global_step, global_step
from reflow.compat.train.queue_runners import LooperThread
from reflow.compat.train.saver import Saver
from reflow.compat.train.scaffold import Scaffold
from reflow.compat.train.session_manager import SessionManager
from reflow.core import errors
from reflow.core.context import state
from reflow.core.logging import logger
from reflow.train.coordinator import Coordinator


@export("compat.v1.train.Supervisor")
class Supervisor:
    """Looks after a training program.

    Args:
      graph: the graph, by default the default one; it is finalized here.
      ready_op, ready_for_local_init_op: tensors with the names of variables that have no value yet.
      is_chief: whether this process initialises the model, and runs the services.
      init_op, init_feed_dict, init_fn: how the model is initialised.
      local_init_op: what initialises local variables and tables.
      logdir: the folder of checkpoints and event files; without one there are no services.
      summary_op, saver, global_step, summary_writer: by default those of the graph's collections, or new ones. None for
        none.
      save_summaries_secs, save_model_secs: how often the services write.
      recovery_wait_secs: how long a process that is not the chief waits between two looks at the model.
      stop_grace_secs: how long `stop` waits for threads.
      checkpoint_basename: the beginning of the names of checkpoints.
      session_manager: who makes sessions; by default a new `SessionManager`.

    >>> with tf.Graph().as_default():
    ...     count = tf.compat.v1.assign_add(tf.compat.v1.train.get_or_create_global_step(), 1)
    ...     supervisor = tf.compat.v1.train.Supervisor()
    ...     with supervisor.managed_session() as session:
    ...         while not supervisor.should_stop():
    ...             if session.run(count) == 3:
    ...                 supervisor.request_stop()
    """

    USE_DEFAULT = 0

    def __init__(
        self, graph=None, ready_op=USE_DEFAULT, ready_for_local_init_op=USE_DEFAULT, is_chief=True, init_op=USE_DEFAULT,
        init_feed_dict=None, local_init_op=USE_DEFAULT, logdir=None, summary_op=USE_DEFAULT, saver=USE_DEFAULT,
        global_step=USE_DEFAULT, save_summaries_secs=120, save_model_secs=600, recovery_wait_secs=30,
        stop_grace_secs=120, checkpoint_basename="model.ckpt", session_manager=None, summary_writer=USE_DEFAULT,
        init_fn=None, local_init_run_options=None,
    ):
        if state.graph is None and graph is None:
            raise RuntimeError("Supervisors are incompatible with eager execution.")
        self._graph = get_default_graph() if graph is None else graph
        self._is_chief, self._coord = is_chief, Coordinator()
        self._init_feed_dict, self._init_fn = init_feed_dict, init_fn
        self._logdir = logdir if is_chief and logdir else None
        self._save_summaries_secs = save_summaries_secs if self._logdir else None
        self._save_model_secs = save_model_secs if self._logdir else None
        self._save_path = os.path.join(self._logdir, checkpoint_basename) if self._logdir else None
        self._stop_grace_secs, self._started_threads = stop_grace_secs, []
        with self._graph.as_default():
            self._init_op = self._found(init_op, GraphKeys.INIT_OP, graph_variables.global_variables_initializer)
            self._ready_op = self._found(ready_op, GraphKeys.READY_OP, graph_variables.report_uninitialized_variables)
            self._ready_for_local_init_op = self._found(
                ready_for_local_init_op, GraphKeys.READY_FOR_LOCAL_INIT_OP, lambda: None
            )
            self._local_init_op = self._found(local_init_op, GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op)
            self._saver = self._found(
                saver, GraphKeys.SAVERS, lambda: Saver() if graph_variables.global_variables() else None
            )
            self._summary_op = self._found(summary_op, GraphKeys.SUMMARY_OP, merge_all)
            self._global_step = self._found(global_step, GraphKeys.GLOBAL_STEP, get_global_step)
        self._summary_writer = summary_writer
        if summary_writer == self.USE_DEFAULT:
            self._summary_writer = FileWriter(self._logdir) if self._logdir else None
        self._graph_added = False
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op, ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op, graph=self._graph,
            recovery_wait_secs=recovery_wait_secs, local_init_run_options=local_init_run_options,
        )
        self._check_devices()
        self._graph.finalize()

    def _found(self, given: Any, key: str, make: Callable[[], Any]) -> Any:
        """What was given; else what is in a collection; else what `make` makes, which goes there."""
        if not (isinstance(given, int) and given == self.USE_DEFAULT):
            return given
        found = self._graph.get_collection(key)
        if found:
            return found[0]
        made = make()
        if made is not None:
            self._graph.add_to_collection(key, made)
        return made

    def _check_devices(self) -> None:
        """The variables of a model that several processes train must say where they are."""
        if not self._is_chief:
            for node in self._graph.get_operations():
                if node.type in ("Variable", "VariableV2") and not node.device:
                    raise ValueError(f"When using replicas, all Variables must have their device set: {node}")

    is_chief = property(lambda self: self._is_chief)
    session_manager = property(lambda self: self._session_manager)
    coord = property(lambda self: self._coord)
    init_op = property(lambda self: self._init_op)
    init_feed_dict = property(lambda self: self._init_feed_dict)
    ready_op = property(lambda self: self._ready_op)
    ready_for_local_init_op = property(lambda self: self._ready_for_local_init_op)
    summary_writer = property(lambda self: self._summary_writer)
    summary_op = property(lambda self: self._summary_op)
    saver = property(lambda self: self._saver)
    global_step = property(lambda self: self._global_step)
    save_summaries_secs = property(lambda self: self._save_summaries_secs)
    save_model_secs = property(lambda self: self._save_model_secs)
    save_path = property(lambda self: self._save_path)

    # --- sessions

    def prepare_or_wait_for_session(
        self, master="", config=None, wait_for_checkpoint=False, max_wait_secs=7200, start_standard_services=True,
    ):
        """A session that is ready: the chief restores or initialises the model, the others wait for that."""
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
        if not self._is_chief:
            session = self._session_manager.wait_for_session(master, config=config, max_wait_secs=max_wait_secs)
        else:
            session = self._session_manager.prepare_session(
                master, init_op=self._init_op, saver=self._saver, checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint, max_wait_secs=max_wait_secs, config=config,
                init_feed_dict=self._init_feed_dict, init_fn=self._init_fn,
            )
            self._write_graph()
            if start_standard_services:
                logger.info("Starting standard services.")
                self.start_standard_services(session)
        if start_standard_services:
            logger.info("Starting queue runners.")
            self.start_queue_runners(session)
        return session

    PrepareSession = prepare_or_wait_for_session

    @contextlib.contextmanager
    def managed_session(
        self, master="", config=None, start_standard_services=True, close_summary_writer=True,
    ) -> Iterator[Any]:
        """A `with` block with a ready session; on exit the services stop, and errors of threads are raised."""
        session = None
        try:
            session = self.prepare_or_wait_for_session(master, config, start_standard_services=start_standard_services)
            yield session
        # `stop` raises it again, unless it only says that the training is over
        except Exception as error:  # noqa: BLE001
            self._coord.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if session is not None:
                    session.close()

    # --- services

    def start_standard_services(self, sess) -> list | None:
        """Start the threads that save checkpoints and write summaries; returns them. None without a folder."""
        if not self._is_chief:
            raise RuntimeError(
                "Only chief supervisor can start standard services. Because only chief supervisors can write events."
            )
        if not self._logdir:
            logger.warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        if self._global_step is not None and self._summary_writer:
            self._summary_writer.add_session_log(
                SessionLog(status=SessionLog.START), global_step(sess, self._global_step)
            )
        threads: list[LooperThread] = []
        if self._save_summaries_secs and self._summary_writer:
            if self._summary_op is not None:
                threads.append(_SummaryThread(self, sess))
            if self._global_step is not None:
                threads.append(_SpeedThread(self, sess))
        if self._saver and self._save_model_secs:
            threads.append(_CheckpointThread(self, sess))
        for thread in threads:
            thread.start()
        self._started_threads.extend(threads)
        return threads

    StartStandardServices = start_standard_services

    def start_queue_runners(self, sess, queue_runners=None) -> list:
        """Start the threads of queue runners, by default of all in the graph; returns them."""
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        threads: list = []
        for runner in queue_runners:
            threads.extend(runner.create_threads(sess, coord=self._coord, daemon=True, start=True))
        self._started_threads.extend(threads)
        return threads

    StartQueueRunners = start_queue_runners

    def loop(self, timer_interval_secs, target, args=None, kwargs=None) -> LooperThread:
        """Call a function periodically in a separate thread, until `stop`; returns the thread."""
        looper = LooperThread(self._coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        self._started_threads.append(looper)
        return looper

    Loop = loop

    def summary_computed(self, sess, summary, global_step=None) -> None:
        """Write a summary that the program has computed."""
        if not self._summary_writer:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self._global_step is not None:
            global_step = int(sess.run(self._global_step))
        self._summary_writer.add_summary(summary, global_step)

    SummaryComputed = summary_computed

    # --- the end

    def stop(self, threads=None, close_summary_writer=True, ignore_live_threads=False) -> None:
        """Stop the services and wait for them; raises what a thread reported."""
        self._coord.request_stop()
        try:
            self._coord.join(
                threads, stop_grace_period_secs=self._stop_grace_secs, ignore_live_threads=ignore_live_threads
            )
        finally:
            if close_summary_writer and self._summary_writer:
                self._summary_writer.add_session_log(SessionLog(status=SessionLog.STOP))
                self._summary_writer.close()

    Stop = stop

    def request_stop(self, ex=None) -> None:
        """Ask all threads to stop."""
        self._coord.request_stop(ex=ex)

    RequestStop = request_stop

    def should_stop(self) -> bool:
        """Whether a stop was requested."""
        return self._coord.should_stop()

    ShouldStop = should_stop

    def stop_on_exception(self):
        """A `with` block whose errors ask all threads to stop."""
        return self._coord.stop_on_exception()

    StopOnException = stop_on_exception

    def wait_for_stop(self):
        """Wait until a stop is requested."""
        return self._coord.wait_for_stop()

    WaitForStop = wait_for_stop

    def _write_graph(self) -> None:
        """Write the graph to the folder, as text, and to the event file."""
        if self._logdir:
            write_graph(self._graph.as_graph_def(add_shapes=True), self._logdir, "graph.pbtxt")
        if self._summary_writer and not self._graph_added:
            self._summary_writer.add_graph(self._graph)
            self._summary_writer.add_meta_graph(meta_graph.export_meta_graph(graph=self._graph))
            self._graph_added = True


class _Service(LooperThread):
    """A thread that runs during training."""

    def __init__(self, supervisor: Supervisor, session: Any, seconds: float) -> None:
        super().__init__(supervisor.coord, seconds)
        self._supervisor, self._session = supervisor, session

    def _now(self) -> int | None:
        of_graph = self._supervisor.global_step
        return None if of_graph is None else global_step(self._session, of_graph)


class _SummaryThread(_Service):
    """Writes the graph's summaries."""

    def __init__(self, supervisor: Supervisor, session: Any) -> None:
        super().__init__(supervisor, session, supervisor.save_summaries_secs)

    def run_loop(self) -> None:
        self._supervisor.summary_writer.add_summary(self._session.run(self._supervisor.summary_op), self._now())


class _SpeedThread(_Service):
    """Writes how many steps a second there were."""

    def __init__(self, supervisor: Supervisor, session: Any) -> None:
        super().__init__(supervisor, session, supervisor.save_summaries_secs)
        self._tag = f"{supervisor.global_step.op.name}/sec"

    def start_loop(self) -> None:
        self._last, self._at = self._now() or 0, time.monotonic()

    def run_loop(self) -> None:
        step, at = self._now() or 0, time.monotonic()
        rate = (step - self._last) / max(at - self._at, 1e-9)
        self._last, self._at = step, at
        self._supervisor.summary_writer.add_summary(
            Summary(value=[Summary.Value(tag=self._tag, simple_value=rate)]), step
        )


class _CheckpointThread(_Service):
    """Saves checkpoints."""

    def __init__(self, supervisor: Supervisor, session: Any) -> None:
        super().__init__(supervisor, session, supervisor.save_model_secs)

    def run_loop(self) -> None:
        at, step = self._supervisor, self._now()
        logger.info("Saving checkpoint to path %s", at.save_path)
        at.saver.save(self._session, at.save_path, global_step=at.global_step)
        if at.summary_writer and step is not None:
            log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=at.save_path)
            at.summary_writer.add_session_log(log, step)


@export("compat.v1.train.basic_train_loop")
def basic_train_loop(supervisor, train_step_fn, args=None, kwargs=None, master="") -> None:
    """Call `train_step_fn(session, *args, **kwargs)` until the supervisor says stop; a session that is aborted is made
    again.

    >>> with tf.Graph().as_default():
    ...     supervisor = tf.compat.v1.train.Supervisor()
    ...     tf.compat.v1.train.basic_train_loop(supervisor, lambda session: supervisor.request_stop())
    """
    again = True
    while again:
        try:
            again = False
            with supervisor.managed_session(master) as session:
                while not supervisor.should_stop():
                    train_step_fn(session, *(args or ()), **(kwargs or {}))
        except errors.AbortedError:
            again = True
