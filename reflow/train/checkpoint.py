"""`tf.train.Checkpoint`: saves the values of all objects below a root, with the graph of the objects.

Saving walks the objects breadth first from the root and gives each value a key built from the names on the shortest
path to it (`object_graph`); the keys, the values and the graph go into one bundle (`bundle`). Restoring is in
`restore`.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import copy
import inspect
import os
import re
import time
import weakref
from collections.abc import Callable
from typing import Any

from reflow.api.export import export
from reflow.core import errors
from reflow.core.context import init_scope, state, swapped
from reflow.eager.variables import Variable
from reflow.tracking.data_structures import NoDependency
from reflow.tracking.trackable import AutoTrackable, ObjectGraphView, Trackable, TrackableReference, is_function
from reflow.train import bundle, checkpoint_state, gathering, in_graph, kernels, metrics, restore, sharding
from reflow.train.in_graph import GraphSaves
from reflow.train.restore_status import in_session_mode, session_or_default
from reflow.train.restored_values import GraphNodes
from reflow.train.sharding import ShardingCallback

_LOCAL_DEVICE = re.compile(
    r"^(/job:localhost)?(/replica:\d+)?(/task:\d+)?(/(device:)?(cpu|gpu)(:\d+)?)?$", re.IGNORECASE
)


@export("train.CheckpointOptions")
class CheckpointOptions:
    """Options of `save`, `write`, `read` and `restore` of a `tf.train.Checkpoint`.

    Args:
      experimental_io_device: The device that writes, which is this host: "/CPU:0" or "/job:localhost".
      experimental_enable_async_checkpoint: An older name of `enable_async`.
      experimental_write_callbacks: Functions that are called after a write, with the path if they take an argument.
      enable_async: Whether files are written in the background: `save` returns when the values are gathered, `sync`
        waits.
      experimental_skip_slot_variables: Whether `restore` leaves out the slot variables of optimizers.
      experimental_sharding_callback: A `tf.train.experimental.ShardingCallback` that divides the tensors among files.

    Raises:
      ValueError: The device is another host, or the sharding callback has another class.

    >>> import tempfile
    >>> checkpoint = tf.train.Checkpoint(x=tf.Variable(1))
    >>> path = checkpoint.write(
    ...     tempfile.mkdtemp() + "/ckpt", options=tf.train.CheckpointOptions(experimental_io_device="/CPU:0")
    ... )
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
        if (
            experimental_sharding_callback is not None
            and not isinstance(experimental_sharding_callback, ShardingCallback)
        ):
            raise ValueError(
                "The experimental_sharding_callback checkpoint option must be of type ShardingCallback. The option "
                f"provided was of type {type(experimental_sharding_callback)}."
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


class TrackableSaver:
    """Saves and restores the objects below the root of a view."""

    def __init__(self, graph_view: ObjectGraphView):
        self._graph_view = graph_view
        #: by graph, what saves and what restores there
        self._graph_saves: weakref.WeakKeyDictionary[Any, GraphSaves] = weakref.WeakKeyDictionary()
        self._graph_restores: weakref.WeakKeyDictionary[Any, GraphNodes] = weakref.WeakKeyDictionary()

    def __deepcopy__(self, memo):
        return TrackableSaver(copy.deepcopy(self._graph_view, memo))

    def list_objects(self, skip_slot_variables: bool = False) -> list:
        """The objects that a save would write, without reading their values."""
        return gathering.walk(self._graph_view, skip_slot_variables)[0].objects

    def gather(self) -> gathering.Gathered:
        """All that goes into the bundle. Tensors keep their values, so it can be written later."""
        gathered = gathering.serialize(self._graph_view)
        gathered.add_object_graph()
        values = {key: gathering.value_of(value) for key, value in gathered.values.items()}
        gathered.values = {key: value for key, value in values.items() if value is not None}
        return gathered

    def save(self, file_prefix, session=None, options: CheckpointOptions | None = None):
        """Write a checkpoint now, in a session, or as part of the function that is being traced.

        Its prefix, there a tensor.
        """
        options = options or CheckpointOptions()
        if in_session_mode():
            saves = self._graph_saves.setdefault(state.graph, GraphSaves())
            return saves.run(self._graph_view, file_prefix, session, options)
        if state.graph is not None:
            return in_graph.add_save(file_prefix, self.gather(), options)
        writer(self.gather(), file_prefix, options)()
        return file_prefix

    def restore(self, save_path: str | None, options: CheckpointOptions | None = None):
        options = options or CheckpointOptions()
        nodes = self._graph_restores.setdefault(state.graph, GraphNodes()) if in_session_mode() else None
        return restore.restore(
            save_path, self._graph_view, self.list_objects, options.experimental_skip_slot_variables, nodes,
            options.experimental_io_device,
        )


def writer(gathered: gathering.Gathered, file_prefix: str, options: CheckpointOptions) -> Callable[[], None]:
    """A function that writes the gathered values. Registered savers write theirs before it is called."""
    parts = gathering.prefixes_written_by(gathered.savers, file_prefix)
    callback = options.experimental_sharding_callback

    def write():
        shards = [gathered.values]
        if callback is not None:
            shards = sharding.shards_of(gathered.values, gathered.owners, callback)
        metrics.AddNumCheckpointShardsWritten(len(shards))
        own = f"{file_prefix}_temp/part" if parts else file_prefix
        bundle.write(own, *map(gathering.HostArrays, shards))
        if parts:
            kernels.merge([own, *[p.numpy().decode() for p in parts]], file_prefix)
            with contextlib.suppress(OSError):
                os.rmdir(os.path.dirname(own))

    return write


# ---------------------------------------------------------------- tf.train.Checkpoint


@export("train.Checkpoint")
class Checkpoint(AutoTrackable):
    """Saves and restores trackable objects: variables, modules, models, optimizers, lists and dictionaries of them.

    Args:
      root: An object whose attributes are saved and restored, as if they were given here.
      **kwargs: The objects, by the names that they have in the checkpoint.

    Raises:
      ValueError: An object cannot be tracked, or `root` has another one of that name.

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
    _label = metrics.CHECKPOINT_V2

    def __init__(self, root=None, **kwargs):
        super().__init__()
        metrics.begin()
        self._save_counter: Any = None
        self._count_up: Any = None  # in a graph, what counts the counter up
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
        """Writes a checkpoint with exactly this prefix: no numbering, no `checkpoint` file. Read it with `read`.

        Args:
          file_prefix: What the names of the files begin with, folders included.
          options: A `tf.train.CheckpointOptions`.

        Returns:
          The prefix. In a `tf.function` it is a tensor, and the files are written when the function runs.
        """
        return self._write(file_prefix, options)

    def save(self, file_prefix, options: CheckpointOptions | None = None) -> str:
        """Counts `save_counter` up, writes `file_prefix-<number>` and makes it the folder's latest checkpoint.

        Args:
          file_prefix: What the names of the files begin with, folders included.
          options: A `tf.train.CheckpointOptions`.

        Returns:
          The prefix with its number, for `restore`.

        Raises:
          NotImplementedError: It is called inside a `tf.function`; `write` is possible there.
        """
        return self._save(file_prefix, options)

    def _save(self, file_prefix, options: CheckpointOptions | None, session=None) -> str:
        if _tracing():
            raise NotImplementedError(
                "Calling tf.train.Checkpoint.save() from a function is not supported, as save() modifies saving "
                "metadata in ways not supported by TensorFlow Operations. Consider using tf.train.Checkpoint.write(), "
                "a lower-level API which does not update metadata. tf.train.latest_checkpoint and related APIs will "
                "not see this checkpoint."
            )
        options = (options or CheckpointOptions()).with_callback(_record_as_latest)
        file_prefix = _path(file_prefix)
        return self._write(f"{file_prefix}-{self._next_number(session)}", options, session)

    def _next_number(self, session=None) -> int:
        """Count the counter of saves up."""
        if not in_session_mode():
            return int(self.save_counter.assign_add(1).numpy())
        session = session_or_default(session)
        if self._save_counter is None:
            session.run(self.save_counter.initializer)
        if self._count_up is None:
            self._count_up = NoDependency(self.save_counter.assign_add(1, read_value=True))
        return int(session.run(self._count_up))

    def _write(self, file_prefix, options: CheckpointOptions | None, session=None) -> str:
        options = options or CheckpointOptions()
        if _tracing():
            return self._saver.save(file_prefix, options=options)
        file_prefix, start = _path(file_prefix), time.time()
        self._writer.wait()
        if in_session_mode():
            self._saver.save(file_prefix, session, options)
            self._after(file_prefix, options)
            metrics.written(self._label, file_prefix, start)
            return file_prefix
        write_values = writer(self._saver.gather(), file_prefix, options)

        def write():
            write_values()
            self._after(file_prefix, options)
            metrics.written(metrics.ASYNC_CHECKPOINT if options.enable_async else self._label, file_prefix, start)

        if options.enable_async:
            self._writer.start(write)
        else:
            write()
        return file_prefix

    @staticmethod
    def _after(file_prefix: str, options: CheckpointOptions) -> None:
        for callback in options.experimental_write_callbacks or ():
            callback(file_prefix) if _parameters(callback) else callback()

    def sync(self):
        """Waits until a write in the background has ended. An error that it had is raised here."""
        self._writer.wait()

    def read(self, save_path, options: CheckpointOptions | None = None):
        """Restores a checkpoint written by `write`.

        Args:
          save_path: The prefix.
          options: A `tf.train.CheckpointOptions`.

        Returns:
          A status with `assert_consumed`, `assert_existing_objects_matched` and `expect_partial`.

        Raises:
          NotFoundError: There is no such checkpoint.
        """
        self._writer.wait()
        start = time.time()
        status = self._saver.restore(None if save_path is None else _path(save_path), options)
        metrics.AddCheckpointReadDuration(self._label, 1e6 * (time.time() - start))
        return status

    def restore(self, save_path, options: CheckpointOptions | None = None):
        """Restores a checkpoint written by `save`, or the variables of a SavedModel folder.

        Objects that exist get their values now, objects that are attached later when they are attached.

        Args:
          save_path: The prefix that `save` returned, the folder of a SavedModel, or None, which restores nothing.
          options: A `tf.train.CheckpointOptions`.

        Returns:
          A status with `assert_consumed`, `assert_existing_objects_matched` and `expect_partial`.

        Raises:
          NotFoundError: There is no such checkpoint.
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
                None, None,
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
            "manages state), please open an issue."
        )


def _path(value) -> str:
    """A path given as a string, bytes, path object or string tensor."""
    if hasattr(value, "numpy"):
        value = value.numpy()
    return os.fsdecode(value)


class _BackgroundWriter:
    """At most one write in the background."""

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
