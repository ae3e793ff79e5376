"""Saves from inside a graph: the nodes that write a checkpoint.

In a `tf.function` the nodes are created where `Checkpoint.write` is called. In a TensorFlow 1 graph they are created at
the first save and run in a session by this and all later saves, until the objects below the root change: then they are
created again. Values of Python objects (`PythonState`, the object graph) are fed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from reflow.api.array.arrange import identity
from reflow.api.config import device
from reflow.api.framework.core_names import control_dependencies
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.os_errors import os_errors
from reflow.graph import symbolic
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import run
from reflow.tracking.trackable import ObjectGraphView
from reflow.train import gathering, object_graph, sharding
from reflow.train.gathering import Gathered, Key
from reflow.train.python_state import PythonState

_HOST = "/device:CPU:0"


def add_save(prefix: Any, gathered: Gathered, options: Any) -> Any:
    """Nodes that write all values; returns the prefix as a tensor that becomes available when they are written."""
    prefix = convert_to_tensor(prefix, dtypes.string)
    parts = gathering.prefixes_written_by(gathered.savers, prefix)
    shards: list[Mapping[Key, Any]] = [gathered.values]
    if options.experimental_sharding_callback is not None:
        shards = list(sharding.shards_of(gathered.values, gathered.owners, options.experimental_sharding_callback))
    with device(options.experimental_io_device or _HOST):
        if parts or len(shards) > 1:
            base, count = prefix + "_temp/part", convert_to_tensor(len(shards), dtypes.int32)
            for i, shard in enumerate(shards):
                parts.append(run("ShardedFilename", base, convert_to_tensor(i, dtypes.int32), count))
                _write(parts[-1], shard)
            run("MergeV2Checkpoints", convert_to_tensor(parts, dtypes.string), prefix, delete_old_dirs=True)
        else:
            _write(prefix, shards[0])
        with control_dependencies([state.graph.nodes[-1]]):
            return identity(prefix)


def _write(prefix: Any, shard: Mapping[Key, Any]) -> None:
    names = [key if isinstance(key, str) else key.name for key in shard]
    specs = ["" if isinstance(key, str) else sharding.spec_of(key) for key in shard]
    tensors = [convert_to_tensor(value) for value in shard.values()]
    run(
        "SaveV2", prefix, convert_to_tensor(names, dtypes.string), convert_to_tensor(specs, dtypes.string), *tensors,
        dtypes=[t.dtype for t in tensors],
    )


class GraphSaves:
    """The nodes of one graph that save the objects below a root."""

    def __init__(self) -> None:
        self._structure: Any = None
        self._prefix: Any = None
        self._saved: Any = None
        self._fed: dict[Key, tuple[Any, Any]] = {}  # a value that Python gives: the node that it is fed to, its object

    def run(self, view: ObjectGraphView, prefix: str, session: Any, options: Any) -> str:
        """Write a checkpoint in a session."""
        current, _ = gathering.walk(view)
        structure = ([id(obj) for obj in current.objects], current.nodes, options.experimental_io_device)
        if self._structure != structure:
            self._build(view, options)
            self._structure = structure
        session = session or symbolic.default_session()
        if session is None:
            raise RuntimeError(
                f'Unable to save checkpoint to "{prefix}" in graph mode without a default session. Please use `with '
                'tf.Session():` to '
                "create a session."
            )
        feeds = {self._prefix: prefix}
        for key, (node, obj) in self._fed.items():
            feeds[node] = (
                self._object_graph if key == object_graph.OBJECT_GRAPH_KEY
                else next(iter(obj._serialize_to_tensors().values()))
            )
        with os_errors(prefix):
            os.makedirs(os.path.dirname(prefix) or ".", exist_ok=True)
        return session.run(self._saved, feeds).decode()

    def _build(self, view: ObjectGraphView, options: Any) -> None:
        gathered = gathering.serialize(view)
        gathered.add_object_graph()
        self._object_graph = gathered.values[object_graph.OBJECT_GRAPH_KEY]
        self._fed = {}
        with device(_HOST):
            if self._prefix is None:
                self._prefix = convert_to_tensor("", dtypes.string)
            for key, value in gathered.values.items():
                owner = gathered.owners[key]
                if isinstance(owner, PythonState) or owner is None:
                    gathered.values[key] = convert_to_tensor("", dtypes.string)
                    self._fed[key] = (gathered.values[key], owner)
                else:
                    gathered.values[key] = gathering.value_of(value)
        self._saved = add_save(self._prefix, gathered, options)
