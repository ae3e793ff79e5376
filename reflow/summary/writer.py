"""Summary writers: the current writer, the current step, and whether summaries are recorded.

All three are thread-local. A summary is an op, so it also works in a `tf.function`; the writer is the one that was
current when the function was traced.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from typing import Any

from reflow.api.call import call
from reflow.api.export import export, with_sections
from reflow.api.framework.internal import get_name_scope
from reflow.api.math import arithmetic
from reflow.core import dtypes, errors
from reflow.core.context import init_scope, state
from reflow.core.name_scope import name_scope
from reflow.core.tensor import EagerTensor, Tensor
from reflow.function.control_flow import cond
from reflow.ops.convert import constant, convert_to_tensor
from reflow.summary.event_files import EventFile

COLLECTION = "_SUMMARY_V2"  # of a graph of version 1: the tensors that write summaries when they are evaluated
INITIALIZERS = "_SUMMARY_WRITER_V2"  # and the operations that make its writers' files


class _Current(threading.local):
    writer: SummaryWriter | None = None
    step = None
    recording = True


current = _Current()


@export("summary.SummaryWriter")
class SummaryWriter:
    """Writes summaries to a place. `tf.summary.create_file_writer` makes one.

    Args:
      file: The event file; None writes nothing.
      resource: In a graph of version 1: the tensor that stands for the file.
      initializer: In a graph of version 1: the operation that makes the file.

    >>> import tempfile
    >>> isinstance(tf.summary.create_file_writer(tempfile.mkdtemp()), tf.summary.SummaryWriter)
    True
    """

    def __init__(self, file: EventFile | None, resource: Tensor | None = None, initializer: Any = None):
        self._file = file
        self._resource = EagerTensor(file) if resource is None and file is not None else resource
        self._initializer = initializer  # in a graph of version 1: what makes the file

    def set_as_default(self, step=None):
        """Makes this the current writer. A writer that writes nothing leaves the current one alone.

        Args:
          step: If given, the step of summaries that name none.

        Raises:
          RuntimeError: The writer is closed.
        """
        self._refuse_closed()
        if self._resource is not None:
            current.writer = self
        if step is not None:
            set_step(step)

    @contextlib.contextmanager
    def as_default(self, step=None):
        """Makes this the current writer in a `with` block, at whose end it is flushed.

        A writer that writes nothing changes nothing: the block writes where it would without it.

        Args:
          step: If given, the step of summaries in the block that name none.

        Yields:
          The writer.

        Raises:
          RuntimeError: The writer is closed.
        """
        self._refuse_closed()
        old, old_step = current.writer, current.step
        if self._resource is not None:
            current.writer = self
        if step is not None:
            current.step = step
        try:
            yield self
            if self._initializer is None:
                self.flush()
        finally:
            current.writer = old
            if step is not None:  # else a step that was set inside stays
                current.step = old_step

    def _refuse_closed(self):
        if self._file is not None and self._file.closed:
            raise RuntimeError("SummaryWriter is already closed")

    def init(self):
        """Makes the file.

        Returns:
          None; in a graph of version 1, the operation that does it.

        Raises:
          RuntimeError: The writer is closed.
        """
        self._refuse_closed()
        if self._file is not None:
            self._file.open()
        return self._initializer

    def flush(self):
        """Writes what waits in memory.

        Returns:
          None; in a graph of version 1, the operation that does it.
        """
        if self._resource is None or self._file is not None and self._file.closed:
            return None
        call("FlushSummaryWriter", (self._resource,))
        return _added()

    def close(self):
        """Writes what waits in memory, and accepts nothing more.

        Returns:
          None; in a graph of version 1, the operation that does it.
        """
        if self._resource is None:
            return None
        call("CloseSummaryWriter", (self._resource,))
        return _added()


def _added() -> Any:
    """The node that was added last to a graph of version 1; None elsewhere."""
    return state.graph.nodes[-1] if _in_graph() else None


def _in_graph() -> bool:
    """Whether a graph of version 1 is being built."""
    return state.graph is not None and not state.graph.building_function


@export("summary.create_file_writer")
def create_file_writer(
    logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None, experimental_trackable=False,
    experimental_mesh=None,
):
    """Creates a writer of event files in a folder.

    Args:
      logdir: The folder, which is made; None gives a writer that writes nothing.
      max_queue: How many summaries may wait in memory; by default 10.
      flush_millis: After how many milliseconds they are written at the latest; by default two minutes.
      filename_suffix: What the names of files end with; by default ".v2".
      name: A name for the operation, in a graph of version 1.
      experimental_trackable: Not used.
      experimental_mesh: Not used.

    Returns:
      A `tf.summary.SummaryWriter`.

    Raises:
      ValueError: Inside a `tf.function`: an argument is a tensor of that function.

    >>> with tf.summary.create_file_writer("/tmp/reflow_logs").as_default():
    ...     print(bool(tf.summary.scalar("loss", 0.5, step=1)))
    True
    """
    if logdir is None:
        return SummaryWriter(None)
    if _in_graph():
        return writer_of_graph(logdir, max_queue, flush_millis, filename_suffix, name)
    given = {"logdir": logdir, "max_queue": max_queue, "flush_millis": flush_millis, "filename_suffix": filename_suffix}
    logdir, max_queue, flush_millis, filename_suffix = [_known(name, value) for name, value in given.items()]
    file = EventFile(
        os.fspath(logdir), 10 if max_queue is None else int(max_queue),
        120_000 if flush_millis is None else int(flush_millis), filename_suffix or ".v2",
    )
    with init_scope():  # in a function it is made once, when the function is traced
        file.open()
        return SummaryWriter(file)


def writer_of_graph(logdir, max_queue, flush_millis, filename_suffix, name, shared_name=None):
    """A writer whose file is made when a session runs its initializer."""
    with name_scope(name or "create_file_writer") as scope:
        resource = call("SummaryWriter", (), {"shared_name": shared_name or scope.removesuffix("/"), "container": ""})
        values = (
            convert_to_tensor(logdir, dtypes.string),
            _scalar(10 if max_queue is None else max_queue, dtypes.int32, "max_queue"),
            _scalar(120_000 if flush_millis is None else flush_millis, dtypes.int32, "flush_millis"),
            convert_to_tensor(filename_suffix or ".v2", dtypes.string),
        )
        call("CreateSummaryFileWriter", (resource, *values))
    initializer = state.graph.nodes[-1]
    state.graph.add_to_collection(INITIALIZERS, initializer)
    return SummaryWriter(None, resource, initializer)


def _scalar(value: Any, dtype: dtypes.DType, name: str) -> Tensor:
    tensor = convert_to_tensor(value, dtype)
    if tensor.shape.rank not in (0, None):
        raise errors.InvalidArgumentError(None, None, f"{name} must be a scalar. Received: shape={tensor.shape}")
    return tensor


def initializers() -> list:
    """The operations that make the files of a graph's writers."""
    return state.graph.get_collection(INITIALIZERS)


def _known(name, value):
    """An argument of a writer as a Python value; a function's own tensors have none while it is traced."""
    if not isinstance(value, Tensor):
        return value
    if not isinstance(value, EagerTensor):
        raise ValueError(
            f"Invalid graph Tensor argument '{name}={value}' to create_file_writer() inside an @tf.function. The "
            "create call will be lifted into the outer eager execution context, so it cannot consume graph tensors "
            "defined inside the function body."
        )
    found = value.numpy()
    return found.decode() if isinstance(found, bytes) else found


@export("summary.create_noop_writer")
def create_noop_writer():
    """Creates a writer that writes nothing.

    Returns:
      A `tf.summary.SummaryWriter`.

    >>> with tf.summary.create_noop_writer().as_default():
    ...     tf.summary.scalar("loss", 0.5, step=1).numpy().item()
    False
    """
    return SummaryWriter(None)


@export("summary.flush")
def flush(writer=None, name=None):
    """Writes what a writer holds in memory.

    Args:
      writer: The writer; by default the current one.
      name: Not used.

    Returns:
      None; in a graph of version 1, the operation that does it.

    Raises:
      ValueError: `writer` is no writer.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     written = tf.summary.scalar("loss", 0.5, step=1)
    ...     tf.summary.flush()
    """
    writer = current.writer if writer is None else writer
    if writer is not None and not isinstance(writer, SummaryWriter):
        raise ValueError(f"Invalid argument to flush(): {writer!r}")
    return None if writer is None else writer.flush()


@export("summary.experimental.get_step")
def get_step():
    """Returns the step of summaries that name none.

    Returns:
      What `set_step` or a writer's `as_default` was given, or None.

    >>> tf.summary.experimental.set_step(7)
    >>> tf.summary.experimental.get_step()
    7
    >>> tf.summary.experimental.set_step(None)
    """
    return current.step


@export("summary.experimental.set_step")
def set_step(step):
    """Sets the step of summaries that name none, in this thread.

    Args:
      step: A number, a variable, or None.

    Returns:
      None.

    >>> step = tf.Variable(0, dtype=tf.int64)
    >>> tf.summary.experimental.set_step(step)
    >>> tf.summary.experimental.get_step() is step
    True
    >>> tf.summary.experimental.set_step(None)
    """
    current.step = step


@export("summary.should_record_summaries")
def should_record_summaries():
    """Says whether a summary that is written here would be recorded.

    Returns:
      False without a current writer; otherwise the condition of `record_if`, a bool or a bool tensor.

    >>> tf.summary.should_record_summaries()  # there is no writer
    False
    """
    if current.writer is None or current.writer._resource is None:
        return False
    condition = current.recording
    return condition() if callable(condition) else condition


@export("summary.record_if")
@contextlib.contextmanager
def record_if(condition):
    """Records summaries in a `with` block only if a condition holds.

    Args:
      condition: A bool, a bool tensor, or a function without arguments that returns one.

    Yields:
      None.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     for step in range(4):
    ...         with tf.summary.record_if(step % 2 == 0):
    ...             print(tf.summary.scalar("loss", 0.5, step=step).numpy().item())
    True
    False
    True
    False
    """
    old, current.recording = current.recording, condition
    try:
        yield
    finally:
        current.recording = old


@export("summary.experimental.summary_scope")
@contextlib.contextmanager
def summary_scope(name, default_name="summary", values=None):
    """Opens a name scope for a summary, in a `with` block.

    Args:
      name: The name of the summary.
      default_name: The name to take if `name` is empty.
      values: Not used.

    Yields:
      The tag, which is the name below the current name scopes, and the name of the scope.

    >>> with tf.name_scope("train"), tf.summary.experimental.summary_scope("loss") as (tag, scope):
    ...     tag
    'train/loss'
    """
    tag = name or default_name
    outer = get_name_scope()
    legal = re.sub(r"[^A-Za-z0-9_.\-/]", "", tag) or default_name
    with name_scope(legal) as full:
        yield f"{outer}/{tag}" if outer else tag, full


_WRITTEN = """\
Args:
  name: A name for the operation.

Returns:
  A bool scalar tensor: whether {they} recorded.

Raises:
  ValueError: There is no step, or it is not a scalar.
"""


@export("summary.write")
@with_sections(_WRITTEN, they="it was")
def write(tag, tensor, step=None, metadata=None, name=None):
    """Writes a tensor under a tag.

    Args:
      tag: The name that TensorBoard shows.
      tensor: The tensor, or a function that makes it, which is called only if it is recorded.
      step: The step it belongs to; by default that of `tf.summary.experimental.set_step`.
      metadata: A `SummaryMetadata` message, or its bytes: which dashboard shows it, and how.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.write("numbers", [1.0, 2.0], step=0).numpy().item()
    True
    """
    serialized = (
        b"" if metadata is None else metadata.SerializeToString() if hasattr(metadata, "SerializeToString")
        else metadata
    )

    def inputs(writer, when):
        made = convert_to_tensor(tensor() if callable(tensor) else tensor)
        label = convert_to_tensor(tag, dtypes.string)
        return "WriteSummary", (writer, when, made, label, convert_to_tensor(serialized, dtypes.string))

    return record(inputs, step, name or "write_summary")


@export("summary.experimental.write_raw_pb")
@with_sections(_WRITTEN, they="they were")
def write_raw_pb(tensor, step=None, name=None):
    """Writes serialized `Summary` messages.

    Args:
      tensor: A string tensor of serialized messages.
      step: The step they belong to; by default that of `tf.summary.experimental.set_step`.

    >>> import tempfile
    >>> summary = tf.compat.v1.Summary(value=[tf.compat.v1.Summary.Value(tag="loss", simple_value=0.5)])
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.experimental.write_raw_pb(summary.SerializeToString(), step=0).numpy().item()
    True
    """
    inputs = lambda writer, when: ("WriteRawProtoSummary", (writer, when, convert_to_tensor(tensor)))
    return record(inputs, step, name or "write_raw_pb")


def record(inputs, step, scope="write_summary"):
    """Run the op that `inputs(writer, step)` describes (its name, inputs, perhaps attributes), if summaries are
    recorded. In a graph the choice is a `cond`; `scope` is the name of its nodes."""
    if state.graph is None:
        return _recorded(inputs, step)
    with name_scope(scope):
        return _recorded(inputs, step)


def _recorded(inputs, step):
    writer = current.writer
    if writer is None or writer._resource is None:
        return constant(False)
    when = current.step if step is None else step

    def run():
        if when is None:
            raise ValueError(
                "No step set. Please specify one either through the `step` argument or through "
                "tf.summary.experimental.set_step()"
            )
        name, arguments, *attrs = inputs(writer._resource, _step_tensor(when))
        call(name, arguments, *attrs)
        if not _in_graph():
            return constant(True)
        with state.graph.control_dependencies([state.graph.nodes[-1]]):  # nothing else runs it
            return constant(True)

    condition = should_record_summaries()
    if isinstance(condition, Tensor) and state.graph is not None:
        done = cond(condition, run, lambda: constant(False))
    else:
        done = run() if condition else constant(False)
    if _in_graph():
        state.graph.add_to_collection(COLLECTION, done)
    return done


def _step_tensor(step: Any) -> Tensor:
    """A step as an int64 scalar."""
    tensor = convert_to_tensor(step)
    if tensor.shape.rank not in (0, None):
        raise ValueError(f"Argument `step` must be a scalar. Received step with shape {tensor.shape}.")
    return arithmetic.cast(tensor, dtypes.int64)
