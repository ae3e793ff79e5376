"""`tf.compat.v1.summary.FileWriter`: event files for TensorBoard, written by version 1 programs."""

from __future__ import annotations

import os
import threading
import warnings
import weakref
from typing import Any, ClassVar

from reflow.api.export import export
from reflow.compat.protos import TaggedRunMetadata
from reflow.core.context import state
from reflow.io import records
from reflow.io.messages import parse
from reflow.summary.event_files import EventFile

_files: weakref.WeakKeyDictionary[Any, dict[str, EventFile]] = weakref.WeakKeyDictionary()  # of sessions, by folder


@export("compat.v1.summary.FileWriter")
class FileWriter:
    """Writes the values of summaries to an event file that TensorBoard reads.

    >>> import glob, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     with tf.compat.v1.summary.FileWriter(folder, session.graph) as writer:
    ...         writer.add_summary(session.run(tf.compat.v1.summary.scalar("loss", 0.5)), global_step=1)
    ...     len(glob.glob(folder + "/events.out.tfevents.*"))
    1
    """

    def __init__(
        self, logdir, graph=None, max_queue=10, flush_secs=120, graph_def=None, filename_suffix=None, session=None
    ):
        if state.graph is None and (graph is not None or session is not None):
            raise RuntimeError(
                "FileWriter with a graph or a session is not compatible with eager execution. Use tf.summary instead."
            )
        self._logdir, self._options = os.fspath(logdir), (max_queue, flush_secs * 1000, filename_suffix or "")
        self._session = session
        self._file = self._open()
        self._file.make_folder()
        self._tags: set[str] = set()  # of run metadata
        self._described: set[str] = set()  # tags whose metadata are in the file
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)
            described = graph if graph_def is None and hasattr(graph, "as_graph_def") else None
            self.add_meta_graph(_meta_graph(described, graph_def or graph))

    def _open(self) -> EventFile:
        """A new file; the writers of one session share theirs if they write to one folder."""
        if self._session is None:
            return EventFile(self._logdir, *self._options)
        files = _files.setdefault(self._session, {})
        if self._logdir not in files or files[self._logdir].closed:
            files[self._logdir] = EventFile(self._logdir, *self._options)
        return files[self._logdir]

    def _add(self, global_step: Any = None, **fields: Any) -> None:
        if self._file.closed:
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the "
                "FileWriter is explicitly reopened.",
                stacklevel=3,
            )
            return
        self._file.add(step=int(global_step or 0), **fields)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def get_logdir(self) -> str:
        """The folder of the event files."""
        return self._logdir

    def add_summary(self, summary, global_step=None):
        """Write a summary: what a session returned, or a proto."""
        from tensorboard.compat.proto.summary_pb2 import Summary

        proto = Summary.FromString(summary if isinstance(summary, bytes) else summary.SerializeToString())
        for value in proto.value:
            if value.HasField("metadata"):
                if value.tag in self._described:  # the first summary of a tag describes all of them
                    value.ClearField("metadata")
                self._described.add(value.tag)
        self._add(global_step, summary=proto)

    def add_session_log(self, session_log, global_step=None):
        """Write what became of a session: started, stopped, saved."""
        self._add(global_step, session_log=session_log)

    def add_meta_graph(self, meta_graph_def, global_step=None):
        """Write a MetaGraphDef. TypeError if it is something else."""
        if not hasattr(meta_graph_def, "meta_info_def"):
            raise TypeError(f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}")
        self._add(global_step, meta_graph_def=meta_graph_def.SerializeToString())

    def add_run_metadata(self, run_metadata, tag, global_step=None):
        """Write the statistics of a step under a tag, once."""
        if tag in self._tags:
            raise ValueError("The provided tag was already used for this event type")
        self._tags.add(tag)
        tagged = TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
        self._add(global_step, tagged_run_metadata=tagged)

    def add_graph(self, graph=None, global_step=None, graph_def=None):
        """Write a graph: a `tf.Graph`, with the assets of its plugins, or a GraphDef."""
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        proto = graph if graph_def is None else graph_def
        if hasattr(proto, "as_graph_def"):
            self._write_assets(proto)
            proto = proto.as_graph_def(add_shapes=True)
        if not hasattr(proto, "library"):
            raise TypeError("The passed graph must be an instance of `Graph` or the deprecated `GraphDef`")
        self._add(global_step, graph_def=proto.SerializeToString())

    def _write_assets(self, graph):
        """Write the files that plugins of TensorBoard left in the graph."""
        for asset in plugin_assets(graph):
            folder = os.path.join(self._logdir, PLUGINS, asset.plugin_name)
            os.makedirs(folder, exist_ok=True)
            for name, content in asset.assets().items():
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(content if isinstance(content, bytes) else content.encode())

    def add_event(self, event):
        """Write an event proto."""
        fields = {field.name: value for field, value in event.ListFields()}
        self._add(fields.pop("step", 0), **fields)

    def flush(self):
        """Write what waits."""
        if not self._file.closed:
            self._file.flush()

    def close(self):
        """Writes what is left, and closes the file."""
        self._file.close()

    def reopen(self):
        """Go on in a new file."""
        if self._file.closed:
            self._file = self._open()


def _meta_graph(graph, graph_def):
    """The MetaGraphDef of a graph, or of a GraphDef alone."""
    from reflow.compat.meta_graph import create_meta_graph_def

    return create_meta_graph_def(graph_def=graph_def if graph is None else graph.as_graph_def(add_shapes=True))


# --- assets of plugins ------------------------------------------------------------------------------------------------

PLUGINS = "plugins"
_ASSETS = "__tensorboard_plugin_assets"


class PluginAsset:
    """Files that a TensorBoard plugin wants with the events of a graph.

    Subclasses have a `plugin_name` and `assets()`.
    """

    plugin_name: str

    def assets(self) -> dict:
        """The content of each file by its name."""
        raise NotImplementedError


def plugin_assets(graph) -> list[PluginAsset]:
    """The assets of a graph."""
    return list(graph.get_collection(_ASSETS))


def get_plugin_asset(plugin_asset_cls, graph=None):
    """The asset of that class in a graph; made if there is none.

    Raises:
      ValueError: the class has no `plugin_name`, or another class has the same.
    """
    from reflow.compat.behavior import get_default_graph

    name = getattr(plugin_asset_cls, "plugin_name", None)
    if not name:
        raise ValueError(f"Class {plugin_asset_cls.__name__} has no plugin_name")
    graph = graph or get_default_graph()
    for asset in plugin_assets(graph):
        if asset.plugin_name == name:
            if not isinstance(asset, plugin_asset_cls):
                raise ValueError(f"Plugin name {name!r} is taken by {type(asset).__name__}")
            return asset
    made = plugin_asset_cls()
    graph.add_to_collection(_ASSETS, made)
    return made


@export("compat.v1.summary.FileWriterCache")
class FileWriterCache:
    """One writer for each folder.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
    ...     writer = tf.compat.v1.summary.FileWriterCache.get(folder)
    ...     writer is tf.compat.v1.summary.FileWriterCache.get(folder)
    ...     tf.compat.v1.summary.FileWriterCache.clear()
    True
    """

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
                FileWriterCache._cache[logdir] = FileWriter(logdir, graph=state.graph)
            return FileWriterCache._cache[logdir]


@export("compat.v1.train.summary_iterator")
def summary_iterator(path):
    """The events of an event file, as protos.

    >>> import glob, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     with tf.compat.v1.summary.FileWriter(folder) as writer:
    ...         writer.add_summary(session.run(tf.compat.v1.summary.scalar("loss", 0.5)), global_step=7)
    ...     events = list(tf.compat.v1.train.summary_iterator(glob.glob(folder + "/*")[0]))
    >>> [(event.step, value.tag, value.simple_value) for event in events for value in event.summary.value]
    [(7, 'loss', 0.5)]

    Raises:
      DataLossError: if the file is damaged, or a record of it is not an event; names the file and the position.
    """
    from tensorboard.compat.proto.event_pb2 import Event

    path, at = str(path), 0
    for record in records.read(path):
        yield parse(Event, record, f"the record at {at} is no event: {path}")
        at += len(record) + records.FRAME
