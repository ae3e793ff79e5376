"""`tf.compat.v1.summary`: summaries as tensors of a graph, and the writer that takes their values."""

from __future__ import annotations

import threading
from typing import ClassVar

import numpy as np

from reflow.api.call import call
from reflow.api.export import export
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.protos import TaggedRunMetadata
from reflow.core.context import state
from reflow.io import records
from reflow.ops.convert import constant, convert_to_tensor
from reflow.summary.event_files import EventFile


def _tagged(name: str, family: str | None) -> str:
    """The tag of a summary: its name, unique in the graph, in its name scope."""
    if state.graph is None:
        raise RuntimeError("tf.compat.v1.summary needs a graph: eager code uses tf.summary.")
    clean = "".join(c if c.isalnum() or c in "_-./" else "_" for c in name)
    graph = get_default_graph()
    scope = f"{family}/" if family else ""
    graph.name_nodes()  # those before take their names first
    return graph.unique_name(f"{scope}{clean}")


def _collect(collections, summary):
    get_default_graph().add_to_collections([GraphKeys.SUMMARIES] if collections is None else collections, summary)
    return summary


@export("compat.v1.summary.scalar")
def scalar(name, tensor, collections=None, family=None):
    """A number, as a serialized summary.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     type(session.run(tf.compat.v1.summary.scalar("loss", 0.5))).__name__
    'bytes'
    """
    return _collect(collections, call("ScalarSummary", (constant(_tagged(name, family)), convert_to_tensor(tensor))))


@export("compat.v1.summary.histogram")
def histogram(name, values, collections=None, family=None):
    """The distribution of a tensor's elements, as a serialized summary."""
    return _collect(collections, call("HistogramSummary", (constant(_tagged(name, family)), convert_to_tensor(values))))


@export("compat.v1.summary.image")
def image(name, tensor, max_outputs=3, collections=None, family=None):
    """Pictures, as a serialized summary."""
    inputs = (constant(_tagged(name, family)), convert_to_tensor(tensor))
    attrs = {"max_images": int(max_outputs), "bad_color": np.array([255, 0, 0, 255], np.uint8)}
    return _collect(collections, call("ImageSummary", inputs, attrs))


@export("compat.v1.summary.merge")
def merge(inputs, collections=None, name=None):
    """Several serialized summaries as one."""
    if state.graph is None:
        raise RuntimeError(
            "Merging tf.summary.* ops is not compatible with eager execution. Use tf.contrib.summary instead."
        )
    merged = call("MergeSummary", [convert_to_tensor(t) for t in inputs], {"N": len(inputs)}, name)
    if collections is not None:
        _collect(collections, merged)
    return merged


@export("compat.v1.summary.merge_all")
def merge_all(key=GraphKeys.SUMMARIES, scope=None, name=None):
    """All summaries of the graph as one; None if there are none."""
    found = get_default_graph().get_collection(key, scope)
    return merge(found, name=name) if found else None


@export("compat.v1.summary.FileWriter")
class FileWriter:
    """Writes the values of summaries to an event file that TensorBoard reads."""

    def __init__(
        self, logdir, graph=None, max_queue=10, flush_secs=120, graph_def=None, filename_suffix=None, session=None
    ):
        if state.graph is None and (graph is not None or session is not None):
            raise RuntimeError("FileWriter with a graph or a session is not compatible with eager execution. Use tf.summary instead.")
        self._logdir, self._options = str(logdir), (max_queue, flush_secs * 1000, filename_suffix or "")
        self._file = EventFile(self._logdir, *self._options)
        self._tags: set = set()
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def get_logdir(self) -> str:
        return self._logdir

    def add_summary(self, summary, global_step=None):
        """Write a summary: what a session returned, or a proto."""
        from tensorboard.compat.proto.summary_pb2 import Summary

        proto = Summary.FromString(summary) if isinstance(summary, bytes) else summary
        self._file.add(step=int(global_step or 0), summary=proto)

    def add_session_log(self, session_log, global_step=None):
        """Write what became of a session: started, stopped, saved."""
        self._file.add(step=int(global_step or 0), session_log=session_log)

    def add_meta_graph(self, meta_graph_def, global_step=None):
        """Write a MetaGraphDef."""
        self._file.add(step=int(global_step or 0), meta_graph_def=meta_graph_def.SerializeToString())

    def add_run_metadata(self, run_metadata, tag, global_step=None):
        """Write the statistics of a step under a tag, once."""
        if tag in self._tags:
            raise ValueError("The provided tag was already used for this event type")
        self._tags.add(tag)
        tagged = TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
        self._file.add(step=int(global_step or 0), tagged_run_metadata=tagged)

    def add_graph(self, graph=None, global_step=None, graph_def=None):
        """Write a graph."""
        proto = graph_def if graph is None else graph.as_graph_def(add_shapes=True)
        self._file.add(step=int(global_step or 0), graph_def=proto.SerializeToString())

    def add_event(self, event):
        """Write an event proto."""
        self._file.add(**{field.name: value for field, value in event.ListFields()})

    def flush(self):
        self._file.flush()

    def close(self):
        self._file.close()

    def reopen(self):
        """Go on in a new file."""
        self._file = EventFile(self._logdir, *self._options)


@export("compat.v1.summary.FileWriterCache")
class FileWriterCache:
    """One writer for each folder."""

    _cache: ClassVar[dict] = {}
    _lock = threading.RLock()

    @staticmethod
    def clear():
        """Close and forget all writers."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._cache.values():
                writer.close()
            FileWriterCache._cache = {}

    @staticmethod
    def get(logdir) -> FileWriter:
        """The writer of a folder, made if there is none."""
        with FileWriterCache._lock:
            if logdir not in FileWriterCache._cache:
                FileWriterCache._cache[logdir] = FileWriter(logdir)
            return FileWriterCache._cache[logdir]


@export("compat.v1.train.summary_iterator")
def summary_iterator(path):
    """The events of an event file, one after the other, as protos."""
    from tensorboard.compat.proto.event_pb2 import Event

    return map(Event.FromString, records.read(str(path)))
