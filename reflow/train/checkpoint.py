"""`tf.train.Checkpoint`: save the values of all objects below a root, with the graph of the objects.

Saving walks the objects breadth first from the root and gives each value a key made of the names on the shortest path to it
(`object_graph`); the keys, the values and the graph go into one bundle (`bundle`). Restoring is in `restore`.
"""

from __future__ import annotations

import concurrent.futures
import copy
import inspect
import os
import re
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from reflow.api.export import export
from reflow.core import errors
from reflow.core.context import init_scope, state, swapped
from reflow.eager.variables import Variable
from reflow.ops.convert import convert_to_tensor
from reflow.tracking.data_structures import NoDependency
from reflow.tracking.trackable import (
    AutoTrackable,
    ObjectGraphView,
    Trackable,
    TrackableReference,
    has_values,
    is_function,
)
from reflow.train import bundle, checkpoint_state, object_graph, restore
from reflow.train.object_graph import ObjectNode

_LOCAL_DEVICE = re.compile(
    r"^(/job:localhost)?(/replica:\d+)?(/task:\d+)?(/(device:)?(cpu|gpu)(:\d+)?)?$", re.IGNORECASE
)


@export("train.CheckpointOptions")
class CheckpointOptions:
    """Options of `save`, `write`, `read` and `restore`.

    `enable_async` writes the files in the background: `save` returns when the values are gathered, `sync` waits. Each of
    `experimental_write_callbacks` is called after a write, with the path if it takes an argument.
    """

    __slots__ = (
        "experimental_io_device",
        "experimental_enable_async_checkpoint",
        "experimental_write_callbacks",
        "enable_async",
        "experimental_sharding_callback",
        "experimental_skip_slot_variables",
    )

    def __init__(
        self, experimental_io_device=None, experimental_enable_async_checkpoint=False,
        experimental_write_callbacks=None, enable_async=False, experimental_skip_slot_variables=False,
        experimental_sharding_callback=None,
    ):
        if experimental_io_device is not None and not _LOCAL_DEVICE.match(experimental_io_device):
            raise ValueError(
                "Checkpoints are written by the local host; `experimental_io_device` must name it. "
                f"Received: {experimental_io_device!r}"
            )
        if experimental_sharding_callback is not None:
            raise NotImplementedError(
                "Checkpoints are written in one shard; `experimental_sharding_callback` is not supported."
            )
        for callback in experimental_write_callbacks or ():
            _parameters(callback)
        self.experimental_io_device = experimental_io_device
        self.enable_async = self.experimental_enable_async_checkpoint = bool(
            experimental_enable_async_checkpoint or enable_async
        )
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback

    def with_callback(self, callback: Callable) -> CheckpointOptions:
        """A copy with one more callback."""
        options = copy.copy(self)
        options.experimental_write_callbacks = [*(self.experimental_write_callbacks or ()), callback]
        return options


def _parameters(callback) -> int:
    count = len(inspect.signature(callback).parameters)
    if count > 1:
        raise AssertionError(
            "Callback functions for checkpoint are required to have 0 or 1 parameters, but this has "
            f"{count} parameters: {callback}"
        )
    return count


# ---------------------------------------------------------------- saving


def serialize(
    view: ObjectGraphView, skip_slot_variables: bool = False
) -> tuple[list, list[ObjectNode], dict[str, object]]:
    """The objects below the root, their nodes, and the values to save by checkpoint key."""
    objects, paths, edges = view._walk()
    names = {id(obj): object_graph.object_path([reference.name for reference in paths[obj]]) for obj in objects}
    ids = {id(obj): i for i, obj in enumerate(objects)}
    nodes = [ObjectNode([(name, ids[id(child)]) for name, child in edges[obj].items()]) for obj in objects]
    if not skip_slot_variables:
        _add_slot_variables(objects, nodes, names, ids)
    values: dict[str, object] = {}
    for obj, node in zip(objects, nodes, strict=True):
        if has_values(obj):
            _add_values(obj, node, names[id(obj)], values)
        elif hasattr(obj, "_gather_saveables_for_checkpoint"):
            raise NotImplementedError(
                f"{type(obj).__name__} saves itself by `_gather_saveables_for_checkpoint`, which "
                "is deprecated and not supported; implement `_serialize_to_tensors` and "
                "`_restore_from_tensors`."
            )
    return objects, nodes, values


def _add_values(obj, node: ObjectNode, path: str, values: dict[str, object]):
    variable_like = hasattr(obj, "_should_act_as_resource_variable")
    full_name = getattr(obj, "_shared_name", "") if variable_like else ""
    tensors = obj._serialize_to_tensors()
    for name, tensor in tensors.items():
        values[object_graph.checkpoint_key(path, name)] = tensor
    # Tables: one attribute stands for all keys that begin with its name.
    legacy_name = getattr(type(obj), "_LEGACY_SAVEABLE_NAME", None)
    for name in tensors if legacy_name is None or not tensors else [legacy_name]:
        node.attributes.append(
            (object_graph.escape_local_name(name), full_name, object_graph.checkpoint_key(path, name))
        )


def _add_slot_variables(objects: list, nodes: list[ObjectNode], names: dict[int, str], ids: dict[int, int]):
    """Slot variables belong to an optimizer and a variable, and are no children; they come after all other objects."""
    others = list(objects)
    for optimizer_id, optimizer in enumerate(others):
        if not hasattr(type(optimizer), "get_slot_names"):
            continue
        for slot_name in optimizer.get_slot_names():
            for variable_id, variable in enumerate(others):
                try:
                    slot = optimizer.get_slot(variable, slot_name)
                except (AttributeError, KeyError):
                    slot = None
                if slot is None:
                    continue
                if id(slot) in ids:
                    raise NotImplementedError(
                        f"A slot variable was re-used as a dependency of a Trackable object: "
                        f"{slot}. This is not "
                        "currently allowed. File a feature request if this limitation bothers you."
                    )
                ids[id(slot)] = len(objects)
                names[id(slot)] = object_graph.slot_variable_path(names[id(variable)], names[id(optimizer)], slot_name)
                nodes[optimizer_id].slot_variables.append((variable_id, slot_name, len(objects)))
                objects.append(slot)
                nodes.append(ObjectNode())


class _HostArrays(Mapping):
    """Tensors by key, each brought to the host when it is written."""

    def __init__(self, tensors: dict[str, object]):
        self._tensors = tensors

    def __getitem__(self, key):
        value = self._tensors[key]
        return value if isinstance(value, (bytes, np.ndarray)) else convert_to_tensor(value)._host()

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self):
        return len(self._tensors)


class TrackableSaver:
    """Saves and restores what lies below the root of a view."""

    def __init__(self, graph_view: ObjectGraphView):
        self._graph_view = graph_view

    def list_objects(self, skip_slot_variables: bool = False) -> list:
        """The objects that a save would write, without reading their values."""
        objects, paths, edges = self._graph_view._walk()
        if not skip_slot_variables:
            ids = {id(obj): i for i, obj in enumerate(objects)}
            _add_slot_variables(objects, [ObjectNode() for _ in objects], dict.fromkeys(ids, ""), ids)
        return objects

    def gather(self) -> Mapping[str, Any]:
        """All that goes into the bundle. Tensors keep their values, so it can be written later."""
        _, nodes, values = serialize(self._graph_view)
        values = {key: value if isinstance(value, bytes) else convert_to_tensor(value) for key, value in values.items()}
        return _HostArrays(values | {object_graph.OBJECT_GRAPH_KEY: object_graph.build(nodes)})

    def restore(self, save_path: str | None, options: CheckpointOptions | None = None):
        skip = options is not None and options.experimental_skip_slot_variables
        return restore.restore(save_path, self._graph_view, self.list_objects, skip)


# ---------------------------------------------------------------- tf.train.Checkpoint


@export("train.Checkpoint")
class Checkpoint(AutoTrackable):
    """Saves and restores trackable objects: variables, modules, models, optimizers, lists and dictionaries of them.

    >>> import tempfile
    >>> step = Variable(1)
    >>> checkpoint = Checkpoint(step=step)
    >>> path = checkpoint.save(os.path.join(tempfile.mkdtemp(), "ckpt"))
    >>> _ = step.assign(5)
    >>> status = checkpoint.restore(path).assert_consumed()
    >>> int(step.numpy())
    1
    """

    root: Any  # the object whose children are saved, if one was given

    def __init__(self, root=None, **kwargs):
        super().__init__()
        self._save_counter: Any = None
        self._writer: Any = NoDependency(_BackgroundWriter())
        attached: list[TrackableReference] | None = None
        if root is not None:
            target = _dereferenced(root)
            _assert_trackable(target, "root")
            target._maybe_initialize_trackable()
            self._save_counter = NoDependency(target._lookup_dependency("save_counter"))
            attached, kwargs = [], {**kwargs, "root": root}
        for name, value in sorted(kwargs.items()):
            setattr(self, name, value)
            value = _dereferenced(getattr(self, name))  # now wrapped, if it was a list
            _assert_trackable(value, name)
            if attached is not None:
                current = target._lookup_dependency(name)
                if current is None:
                    attached.append(TrackableReference(name, value))
                elif current is not value and current is not kwargs[name]:
                    raise ValueError(
                        f"Cannot create a Checkpoint with keyword argument {name} if root.{name} already exists."
                    )
        self._attached_dependencies: Any = NoDependency(attached)
        self._saver = TrackableSaver(ObjectGraphView(self if root is None else root, attached))

    @property
    def save_counter(self) -> Variable:
        """The number of calls of `save`, a variable that is saved too; it numbers the checkpoints."""
        self._maybe_create_save_counter()
        return self._save_counter  # type: ignore[return-value]

    def _maybe_create_save_counter(self):
        if self._save_counter is not None:
            return
        with init_scope(), swapped(name_scope=""):
            counter = Variable(0, dtype="int64", trainable=False, name="save_counter")
        self._save_counter = NoDependency(counter)
        self._track_trackable(counter, name="save_counter")
        if self._attached_dependencies is not None:
            self._attached_dependencies.append(TrackableReference("save_counter", counter))
            for position in _dereferenced(self.root)._deferred_dependencies.pop("save_counter", ())[-1:]:
                position.restore(counter)

    def write(self, file_prefix, options: CheckpointOptions | None = None) -> str:
        """Write a checkpoint with exactly this prefix; no numbering, no `checkpoint` file. Read it with `read`."""
        return self._write(_path(file_prefix), options)

    def save(self, file_prefix, options: CheckpointOptions | None = None) -> str:
        """Count `save_counter` up, write `file_prefix-<number>` and make it the folder's latest checkpoint."""
        if _tracing():
            raise NotImplementedError(
                "Calling tf.train.Checkpoint.save() from a function is not supported, as save() modifies saving "
                "metadata in ways not "
                "supported by TensorFlow Operations. Consider using tf.train.Checkpoint.write(), a lower-level API "
                "which does not update metadata. tf.train.latest_checkpoint and related APIs will not see this "
                "checkpoint."
            )
        options = (options or CheckpointOptions()).with_callback(_record_as_latest)
        file_prefix = _path(file_prefix)
        number = int(self.save_counter.assign_add(1).numpy())
        return self._write(f"{file_prefix}-{number}", options)

    def _write(self, file_prefix: str, options: CheckpointOptions | None) -> str:
        if _tracing():
            raise NotImplementedError(
                "Writing a checkpoint from inside a tf.function is not supported; call it outside."
            )
        options = options or CheckpointOptions()
        self._writer.wait()
        values = self._saver.gather()

        def write():
            bundle.write(file_prefix, values)
            for callback in options.experimental_write_callbacks or ():
                callback(file_prefix) if _parameters(callback) else callback()

        if options.enable_async:
            self._writer.start(write)
        else:
            write()
        return file_prefix

    def sync(self):
        """Wait until a write in the background has ended. An error that it had is raised here."""
        self._writer.wait()

    def read(self, save_path, options: CheckpointOptions | None = None):
        """Restore a checkpoint written by `write`."""
        self._writer.wait()
        return self._saver.restore(None if save_path is None else _path(save_path), options)

    def restore(self, save_path, options: CheckpointOptions | None = None):
        """Restore a checkpoint written by `save`, or the variables of a SavedModel folder.

        Objects that exist get their values now, objects that are attached later when they are attached. The returned status
        has `assert_consumed`, `assert_existing_objects_matched` and `expect_partial`.
        """
        path = None if save_path is None else _path(save_path)
        if path is not None and any(
            os.path.isfile(os.path.join(path, f"saved_model.{end}")) for end in ("pb", "pbtxt")
        ):
            path = os.path.join(path, "variables", "variables")
        try:
            status = self.read(path, options)
        except errors.NotFoundError as e:
            raise errors.NotFoundError(
                None,
                None,
                f"Error when restoring from checkpoint or SavedModel at {save_path}: {e.message}\nPlease "
                "double-check that "
                "the path is correct. You may be missing the checkpoint suffix (e.g. the '-1' in 'path/to/ckpt-1').",
            ) from e
        self._maybe_create_save_counter()
        if isinstance(status, restore.NameBasedSaverStatus):
            status.add_to_optionally_restored(self._save_counter)
        return status


def _record_as_latest(path: str):
    checkpoint_state.update_checkpoint_state(os.path.dirname(path), path, [path], save_relative_paths=True)


def _tracing() -> bool:
    return state.graph is not None and state.graph.building_function


def _dereferenced(value):
    return value() if isinstance(value, weakref.ref) else value


def _assert_trackable(obj, name: str):
    if not isinstance(obj, Trackable) and not is_function(obj):
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from `Trackable`), got "
            f"{obj}. If you believe this object should be trackable (i.e. it is part of the TensorFlow Python API and "
            "manages state), please open "
            "an issue."
        )


def _path(value) -> str:
    """A path given as a string, bytes, path object or string tensor."""
    if hasattr(value, "numpy"):
        value = value.numpy()
    return os.fsdecode(value)


class _BackgroundWriter:
    """At most one write going on beside the program."""

    def __init__(self):
        self._going: concurrent.futures.Future | None = None
        self._pool: concurrent.futures.ThreadPoolExecutor | None = None

    def __deepcopy__(self, memo):
        return _BackgroundWriter()

    def start(self, write: Callable[[], None]):
        self._pool = self._pool or concurrent.futures.ThreadPoolExecutor(1, "checkpoint")
        self._going = self._pool.submit(write)

    def wait(self):
        going, self._going = self._going, None
        if going is not None:
            going.result()
