"""`tf.summary.trace_on` … `trace_export`: the graphs traced in between, and a profile.

Graphs go to the current writer as a `RunMetadata` message. The profile goes to the folder named in `trace_on`
(TensorFlow 2.14 and later) or in `trace_export` (before); until that is known, it is in a temporary folder.
"""

from __future__ import annotations

import shutil
import tempfile

from reflow.api.export import export, with_sections
from reflow.core import dtypes
from reflow.core import logging as log
from reflow.core.context import state
from reflow.function import tracing
from reflow.ops.convert import constant
from reflow.summary import profiler as profiling
from reflow.summary.writer import summary_scope, write

_GRAPHS, _ALL = "graph_run_metadata_graph", "graph_run_metadata"  # plugins' names in TensorBoard


class _Trace:
    """What is recorded between `trace_on` and `trace_export`."""

    def __init__(self, graph: bool, profiler: bool, folder: str | None):
        self.graph, self.profiler, self.folder = graph, profiler, folder
        self.graphs: list = []
        self.temporary = tempfile.mkdtemp() if profiler and folder is None else None
        if graph:
            tracing.LISTENERS.append(self.graphs.append)
        if profiler:
            profiling.start(folder or self.temporary)

    def stop(self, folder: str | None = None):
        """End the recording; a profile in the temporary folder moves to `folder`, if there is one."""
        if self.graph:
            tracing.LISTENERS.remove(self.graphs.append)
        if self.profiler and profiling.is_running():
            profiling.stop()
        if self.temporary is None:
            return
        if folder is None:
            log.warn("The profile is lost: name a `profiler_outdir` in tf.summary.trace_on() or trace_export().")
        else:
            shutil.copytree(self.temporary, folder, dirs_exist_ok=True)
        shutil.rmtree(self.temporary)


_current: list[_Trace] = []
_NOTHING = "Returns:\n  None.\n"


def _in_graph(in_function: str, elsewhere: str) -> bool:
    """Whether a graph is being built, with a warning if it is: traces are recorded in eager code only."""
    if state.graph is None:
        return False
    log.warn_of_summaries(in_function if state.graph.building_function else elsewhere)
    return True


@export("summary.trace_on")
@with_sections(_NOTHING)
def trace_on(graph=True, profiler=False, profiler_outdir=None):
    """Begins to record the graphs that `tf.function` makes, and a profile, until `trace_export` or `trace_off`.

    Args:
      graph: Whether graphs are recorded.
      profiler: Whether the time of the program is profiled.
      profiler_outdir: The folder of the profile; `trace_export` may name it instead.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.trace_on()
    ...     y = tf.function(lambda x: x + 1)(1)
    ...     tf.summary.trace_export("increment", step=0)
    """
    if _in_graph("Cannot enable trace inside a tf.function.", "Must enable trace in eager mode."):
        return
    if _current:
        log.warn("Trace already enabled")
        return
    _current.append(_Trace(graph, profiler, profiler_outdir))


@export("summary.trace_off")
@with_sections(_NOTHING)
def trace_off():
    """Ends the recording and drops it.

    >>> tf.summary.trace_on()
    >>> tf.summary.trace_off()
    """
    if _current:
        _current.pop().stop()


@export("summary.trace_export")
@with_sections(_NOTHING)
def trace_export(name, step=None, profiler_outdir=None):
    """Writes what was recorded, and ends the recording.

    Args:
      name: The name of the summary.
      step: The step it belongs to; by default that of `tf.summary.experimental.set_step`.
      profiler_outdir: The folder of the profile, if `trace_on` did not name it.

    Raises:
      ValueError: Nothing is being recorded.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.trace_on()
    ...     y = tf.function(lambda x: x * 2)(3)
    ...     tf.summary.trace_export("double", step=0)
    """
    if _in_graph("Cannot export trace inside a tf.function.", "Can only export trace while executing eagerly."):
        return
    if not _current:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    trace = _current.pop()
    trace.stop(profiler_outdir)
    _write(name, step, trace)


def run_metadata(name, data, step=None):
    """Write a whole `RunMetadata` message under a name."""
    return _write_message(name, data, step, _ALL)


def run_metadata_graphs(name, data, step=None):
    """Write the graphs of a `RunMetadata` message under a name."""
    graphs = type(data)(function_graphs=data.function_graphs, partition_graphs=data.partition_graphs)
    return _write_message(name, graphs, step, _GRAPHS)


def _write_message(name, run, step, plugin):
    from tensorboard.compat.proto.summary_pb2 import SummaryMetadata

    metadata = SummaryMetadata()
    metadata.plugin_data.plugin_name = plugin
    metadata.plugin_data.content = b"1"
    with summary_scope(name, "graph_run_metadata") as (tag, _):
        return write(tag, constant(run.SerializeToString(), dtypes.string), step, metadata)


def _write(name, step, trace):
    from tensorboard.compat.proto.config_pb2 import RunMetadata

    run = RunMetadata()
    # once each: a function that makes its variables in the first call is traced twice
    for text in dict.fromkeys(graph.as_graph_def().SerializeToString() for graph in trace.graphs):
        run.function_graphs.add().pre_optimization_graph.ParseFromString(text)
    _write_message(name, run, step, _ALL if trace.profiler else _GRAPHS)
