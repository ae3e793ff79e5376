"""Summary writers: which one is current, at which step, and whether summaries are recorded at all.

All three belong to the thread. A summary is an op, so it works in a `tf.function` too; the writer is the one that was
current when the function was traced.
"""

from __future__ import annotations

import contextlib
import os
import threading

from reflow.api.call import call
from reflow.api.export import export
from reflow.api.framework.internal import get_name_scope
from reflow.api.math import arithmetic
from reflow.core import dtypes
from reflow.core.context import init_scope, state
from reflow.core.name_scope import name_scope
from reflow.core.tensor import EagerTensor, Tensor
from reflow.function.control_flow import cond
from reflow.ops.convert import constant, convert_to_tensor
from reflow.summary.event_files import EventFile


class _Current(threading.local):
    writer: SummaryWriter | None = None
    step = None
    recording = True


current = _Current()


@export("summary.SummaryWriter")
class SummaryWriter:
    """Where summaries go. `tf.summary.create_file_writer` makes one."""

    def __init__(self, file: EventFile | None):
        self._file = file
        self._resource = None if file is None else EagerTensor(file)
        self._open: list = []

    def set_as_default(self, step=None):
        """Make this the current writer, and `step` the step, if it is given."""
        self._refuse_closed()
        current.writer = self
        if step is not None:
            set_step(step)

    @contextlib.contextmanager
    def as_default(self, step=None):
        """A `with` block in which this is the current writer; what was written is flushed at its end."""
        self._refuse_closed()
        old = current.writer, current.step
        current.writer = self
        if step is not None:
            current.step = step
        try:
            yield self
            self.flush()
        finally:
            current.writer, current.step = old

    def _refuse_closed(self):
        if self._file is not None and self._file.closed:
            raise RuntimeError("SummaryWriter is already closed")

    def init(self):
        """Make the file."""
        if self._file is not None:
            self._file.open()

    def flush(self):
        """Write what waits in memory."""
        if self._resource is not None and self._file is not None and not self._file.closed:
            call("FlushSummaryWriter", (self._resource,))

    def close(self):
        """Write what waits, and accept nothing more."""
        if self._resource is not None:
            call("CloseSummaryWriter", (self._resource,))


@export("summary.create_file_writer")
def create_file_writer(
    logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None, experimental_trackable=False,
    experimental_mesh=None,
):
    """A writer of event files in a folder.

    >>> with tf.summary.create_file_writer("/tmp/reflow_logs").as_default():
    ...     print(bool(tf.summary.scalar("loss", 0.5, step=1)))
    True
    """
    if logdir is None:
        return SummaryWriter(None)
    given = {"logdir": logdir, "max_queue": max_queue, "flush_millis": flush_millis, "filename_suffix": filename_suffix}
    logdir, max_queue, flush_millis, filename_suffix = [_known(name, value) for name, value in given.items()]
    file = EventFile(
        os.fspath(logdir),
        10 if max_queue is None else int(max_queue),
        120_000 if flush_millis is None else int(flush_millis),
        filename_suffix or ".v2",
    )
    with init_scope():  # in a function it is made once, when the function is traced
        file.open()
        return SummaryWriter(file)


def _known(name, value):
    """An argument of a writer as a Python value; a function's own tensors have none while it is traced."""
    if not isinstance(value, Tensor):
        return value
    if not isinstance(value, EagerTensor):
        raise ValueError(
            f"Invalid graph Tensor argument '{name}={value}' to create_file_writer() inside an @tf.function. The create call will "
            "be lifted into the outer eager execution context, so it cannot consume graph tensors defined inside the function body."
        )
    found = value.numpy()
    return found.decode() if isinstance(found, bytes) else found


@export("summary.create_noop_writer")
def create_noop_writer():
    """A writer that writes nothing."""
    return SummaryWriter(None)


@export("summary.flush")
def flush(writer=None, name=None):
    """Write what the writer, by default the current one, holds in memory."""
    writer = current.writer if writer is None else writer
    if writer is not None:
        writer.flush()


@export("summary.experimental.get_step")
def get_step():
    """The step of summaries that name none."""
    return current.step


@export("summary.experimental.set_step")
def set_step(step):
    """Set the step of summaries that name none: a number or a variable."""
    current.step = step


@export("summary.should_record_summaries")
def should_record_summaries():
    """Whether a summary that is written here would be recorded."""
    if current.writer is None or current.writer._file is None:
        return False
    condition = current.recording
    return condition() if callable(condition) else condition


@export("summary.record_if")
@contextlib.contextmanager
def record_if(condition):
    """Record summaries in a `with` block only if the condition (a bool, a tensor, or a function of nothing) holds."""
    old, current.recording = current.recording, condition
    try:
        yield
    finally:
        current.recording = old


@export("summary.experimental.summary_scope")
@contextlib.contextmanager
def summary_scope(name, default_name="summary", values=None):
    """(tag, scope) for a summary: the tag is the name below the current name scopes."""
    name = name or default_name
    scope = name_scope(name)
    outer = get_name_scope()
    with scope as full:
        yield f"{outer}/{name}" if outer else name, full


@export("summary.write")
def write(tag, tensor, step=None, metadata=None, name=None):
    """Append a tensor under a tag; returns whether it was recorded. `tensor` may be a function that makes it."""
    serialized = b"" if metadata is None else metadata if isinstance(metadata, bytes) else metadata.SerializeToString()

    def inputs(writer, when):
        made = convert_to_tensor(tensor() if callable(tensor) else tensor)
        label = convert_to_tensor(tag, dtypes.string)
        return "WriteSummary", (writer, when, made, label, constant(serialized, dtypes.string))

    return record(inputs, step)


@export("summary.experimental.write_raw_pb")
def write_raw_pb(tensor, step=None, name=None):
    """Append serialized `Summary` messages."""
    return record(lambda writer, when: ("WriteRawProtoSummary", (writer, when, convert_to_tensor(tensor))), step)


def record(inputs, step):
    """Run the op that `inputs(writer, step)` describes, if summaries are recorded. In a graph the choice is a `cond`."""
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
        name, arguments = inputs(writer._resource, arithmetic.cast(convert_to_tensor(when), dtypes.int64))
        call(name, arguments)
        return constant(True)

    condition = should_record_summaries()
    if isinstance(condition, Tensor) and state.graph is not None:
        return cond(condition, run, lambda: constant(False))
    return run() if condition else constant(False)
