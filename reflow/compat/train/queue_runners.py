"""`tf.compat.v1.train.QueueRunner`: threads that keep a queue filled.

Each enqueue operation gets a thread that runs it repeatedly. When the data ends, the last thread closes the queue; when
a coordinator requests a stop, one more thread closes it and cancels pending operations.
"""

from __future__ import annotations

import threading
import time
import weakref

from reflow.api.export import export
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.scoped_names import prepend_scope, strip_scope
from reflow.compat.session import Session, get_default_session
from reflow.compat.train import daemons
from reflow.core import errors
from reflow.core.context import state
from reflow.core.logging import logger
from reflow.io.messages import define_message
from reflow.train.coordinator import Coordinator

_FIELDS = [
    (1, "string", "queue_name"), (2, "repeated string", "enqueue_op_name"), (3, "string", "close_op_name"),
    (4, "string", "cancel_op_name"), (5, "repeated int32", "queue_closed_exception_types"),
]
QueueRunnerDef = define_message("queue_runner.proto", [], "QueueRunnerDef", _FIELDS)


@export("compat.v1.train.QueueRunner", "compat.v1.train.queue_runner.QueueRunner")
class QueueRunner:
    """A queue and the operations that fill it.

    >>> with tf.Graph().as_default():
    ...     queue = tf.queue.FIFOQueue(10, [tf.int32], [[]])
    ...     runner = tf.compat.v1.train.QueueRunner(queue, [queue.enqueue(7)] * 2)      # two threads
    ...     tf.compat.v1.train.add_queue_runner(runner)
    ...     first = queue.dequeue()
    ...     with tf.compat.v1.train.MonitoredSession() as session:
    ...         session.run(first).item()
    7

    Args:
      queue: the queue.
      enqueue_ops: operations that add to it; each runs in a thread of its own.
      close_op: what ends the queue when the data has ended; `queue.close()` by default.
      cancel_op: what ends it when threads are asked to stop; `queue.close(cancel_pending_enqueues=True)` by default.
      queue_closed_exception_types: errors that mean the end of the data.
    """

    def __init__(
        self, queue=None, enqueue_ops=None, close_op=None, cancel_op=None, queue_closed_exception_types=None,
        queue_runner_def=None, import_scope=None,
    ):
        if state.graph is None:
            raise RuntimeError("QueueRunners are not supported when eager execution is enabled. Use tf.data.")
        if queue_runner_def is not None:
            if queue or enqueue_ops:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            self._read(queue_runner_def, import_scope)
            return
        if not queue or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        self._queue, self._enqueue_ops = queue, list(enqueue_ops)
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        ends = (errors.OutOfRangeError,) if queue_closed_exception_types is None else queue_closed_exception_types
        if not (isinstance(ends, tuple) and ends and all(issubclass(t, errors.OpError) for t in ends)):
            raise TypeError(
                f"queue_closed_exception_types, when provided, must be a tuple of tf.error types, but saw: {ends}"
            )
        self._ends = ends
        self._reset()

    def _reset(self):
        self._lock = threading.Lock()
        self._ended = self._filled = False
        self._running: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # session -> threads that fill the queue
        self._errors: list = []

    def _read(self, proto, import_scope):
        """Take the nodes that a QueueRunnerDef names; they are in the default graph."""
        graph = get_default_graph()

        def element(name):
            return graph.as_graph_element(prepend_scope(name, import_scope))

        self._queue = element(proto.queue_name)
        self._enqueue_ops = [element(name) for name in proto.enqueue_op_name]
        self._close_op, self._cancel_op = element(proto.close_op_name), element(proto.cancel_op_name)
        kinds = {kind.code: kind for kind in errors.OpError.__subclasses__()}
        self._ends = tuple(kinds[code] for code in proto.queue_closed_exception_types) or (errors.OutOfRangeError,)
        self._reset()

    def to_proto(self, export_scope=None):
        """A QueueRunnerDef: the names of the queue and the operations; None if they are outside of a scope."""
        if export_scope is not None and not self.name.startswith(f"{export_scope}/"):
            return None
        return QueueRunnerDef(
            queue_name=strip_scope(self.name, export_scope),
            enqueue_op_name=[strip_scope(op.name, export_scope) for op in self._enqueue_ops],
            close_op_name=strip_scope(self._close_op.name, export_scope),
            cancel_op_name=strip_scope(self._cancel_op.name, export_scope),
            queue_closed_exception_types=[kind.code for kind in self._ends],
        )

    @staticmethod
    def from_proto(queue_runner_def, import_scope=None) -> QueueRunner:
        """The queue runner that a QueueRunnerDef describes."""
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)

    queue = property(lambda self: self._queue)
    enqueue_ops = property(lambda self: self._enqueue_ops)
    close_op = property(lambda self: self._close_op)
    cancel_op = property(lambda self: self._cancel_op)
    queue_closed_exception_types = property(lambda self: self._ends)
    exceptions_raised = property(
        lambda self: self._errors, doc="Errors of threads that had no coordinator to report to."
    )
    name = property(lambda self: self._queue.name, doc="The name of the queue.")

    def create_threads(self, sess, coord=None, daemon=False, start=False) -> list:
        """Threads that fill the queue in a session; none if they are running already.

        Args:
          sess: the session.
          coord: whom to tell about errors, and who may ask the threads to stop.
          daemon: whether the program may end while they run.
          start: whether to start them.
        """
        with self._lock:
            if self._running.get(sess, 0) > 0:
                return []
            self._running[sess] = len(self._enqueue_ops)
            self._errors = []
        named = [
            threading.Thread(
                target=self._fill, args=(sess, op, coord), name=f"QueueRunnerThread-{self.name}-{op.name}"
            )
            for op in self._enqueue_ops
        ]
        if coord is not None:
            closer = threading.Thread(
                target=self._close_on_stop, args=(sess, coord), name=f"QueueRunnerThread-{self.name}-close_on_stop"
            )
            named.append(closer)
        for thread in named:
            if coord is not None:
                coord.register_thread(thread)
            thread.daemon = daemon
            if daemon:
                daemons.watch(thread, lambda: self._end(sess, coord))
            if start:
                thread.start()
        return named

    def _end(self, sess, coord) -> None:
        """Stop the threads without a word, because the program ends."""
        self._ended = True
        if coord is not None:
            coord.request_stop()
        self._run_quietly(sess, self._cancel_op)

    def _fill(self, sess, enqueue_op, coord):
        counted = True
        try:
            while not self._ended and (coord is None or not coord.should_stop()):
                try:
                    sess.run(enqueue_op)
                    if not self._filled:
                        self._filled = True
                        daemons.stay_first()  # the first run may have imported JAX
                except self._ends:
                    counted = False
                    if self._last_leaves(sess):
                        self._run_quietly(sess, self._close_op)
                    return
        except Exception as error:
            if self._ended:
                return
            if coord is not None:
                coord.request_stop(error)
            else:
                logger.error(f"Exception in QueueRunner: {error}")
                with self._lock:
                    self._errors.append(error)
                raise
        finally:
            if counted:
                self._last_leaves(sess)

    def _last_leaves(self, sess) -> bool:
        with self._lock:
            self._running[sess] = self._running.get(sess, 1) - 1
            return self._running[sess] == 0

    def _close_on_stop(self, sess, coord):
        coord.wait_for_stop()
        self._run_quietly(sess, self._cancel_op)

    @staticmethod
    def _run_quietly(sess, op):
        """Close the queue; a session that has ended has closed it already."""
        try:
            sess.run(op)
        except Exception as error:
            logger.debug(f"Ignored exception: {error}")


@export("compat.v1.train.add_queue_runner", "compat.v1.train.queue_runner.add_queue_runner")
def add_queue_runner(qr, collection=GraphKeys.QUEUE_RUNNERS):
    """Remember a queue runner for `start_queue_runners`.

    >>> with tf.Graph().as_default():
    ...     queue = tf.queue.FIFOQueue(10, [tf.int32], [[]])
    ...     tf.compat.v1.train.add_queue_runner(tf.compat.v1.train.QueueRunner(queue, [queue.enqueue(7)]))
    ...     len(tf.compat.v1.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS))
    1
    """
    get_default_graph().add_to_collection(collection, qr)


@export("compat.v1.train.start_queue_runners", "compat.v1.train.queue_runner.start_queue_runners")
def start_queue_runners(sess=None, coord=None, daemon=True, start=True, collection=GraphKeys.QUEUE_RUNNERS) -> list:
    """Start the threads of all queue runners of the graph; returns them.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     queue = tf.queue.FIFOQueue(10, [tf.int32], [[]])
    ...     tf.compat.v1.train.add_queue_runner(tf.compat.v1.train.QueueRunner(queue, [queue.enqueue(7)]))
    ...     first = queue.dequeue()
    ...     coordinator = tf.train.Coordinator()
    ...     threads = tf.compat.v1.train.start_queue_runners(session, coordinator)
    ...     session.run(first).item()
    ...     coordinator.request_stop()
    ...     coordinator.join(threads)
    7
    """
    if state.graph is None:
        raise RuntimeError("Queues are not compatible with eager execution.")
    if sess is None:
        sess = get_default_session()
        if sess is None:
            raise ValueError(
                "Cannot start queue runners: No default session is registered. Use `with sess.as_default()` or pass an "
                "explicit session to tf.start_queue_runners(sess=sess)"
            )
    if not isinstance(sess, Session):
        if hasattr(sess, "_is_monitored_session"):
            return []
        if not hasattr(sess, "run"):
            raise TypeError("sess must be a `tf.Session` object. Given class: " + type(sess).__name__)
    with sess.graph.as_default():
        threads: list = []
        for runner in get_default_graph().get_collection(collection):
            threads.extend(runner.create_threads(sess, coord=coord, daemon=daemon, start=start))
    return threads


@export("compat.v1.train.LooperThread")
class LooperThread(threading.Thread):
    """A thread that calls a function again and again until a coordinator asks it to stop.

    >>> coordinator, seen = tf.train.Coordinator(), []
    >>> def look():
    ...     seen.append(len(seen))
    ...     if len(seen) == 3:
    ...         coordinator.request_stop()
    >>> thread = tf.compat.v1.train.LooperThread(coordinator, timer_interval_secs=None, target=look)
    >>> thread.start()
    >>> coordinator.join([thread])
    >>> seen
    [0, 1, 2]

    Args:
      coord: the coordinator; errors are reported to it.
      timer_interval_secs: the time between the beginnings of two calls; None for no pause.
    """

    def __init__(self, coord, timer_interval_secs, target=None, args=None, kwargs=None):
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        super().__init__(daemon=True)
        self._coord, self._interval = coord, timer_interval_secs
        self._function, self._arguments = target, (args or (), kwargs or {})
        coord.register_thread(self)
        daemons.watch(self, coord.request_stop)

    @staticmethod
    def loop(coord, timer_interval_secs, target, args=None, kwargs=None):
        """Start a looper thread; returns it."""
        looper = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    def run(self):
        """Called by `start`."""
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._interval is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                at = time.time()
                while not self._coord.wait_for_stop(max(0, at - time.time())):
                    at += self._interval
                    self.run_loop()
            self.stop_loop()

    def start_loop(self):
        """Called when the thread starts."""

    def stop_loop(self):
        """Called when the thread stops."""

    def run_loop(self):
        """Called at each turn."""
        if self._function:
            args, kwargs = self._arguments
            self._function(*args, **kwargs)
