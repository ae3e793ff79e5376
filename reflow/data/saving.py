"""Methods of `tf.data.Dataset` that keep elements in files: `save`, `load`, `snapshot`, `fingerprint`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes, errors, nest
from reflow.core.context import state
from reflow.core.os_errors import os_errors
from reflow.core.specs import NoneTensorSpec, TensorSpec, TypeSpec
from reflow.data import structure
from reflow.data.base import AUTOTUNE, Family
from reflow.data.functions import Traced
from reflow.data.specs import DatasetSpec
from reflow.io.messages import parse
from reflow.ops.convert import constant, convert_to_tensor

if TYPE_CHECKING:
    from reflow.data.dataset import DatasetV2

SPEC_FILE = "dataset_spec.pb"
ERROR_FILE = "ERROR"  # why a save that runs elsewhere failed


def file_attrs(spec) -> dict:
    """Attributes by which the kernels know which components are one tensor in a file, and the dtypes there."""
    leaves = structure.composite_leaves(spec)
    specs = [s for s in nest.flatten(spec) if not isinstance(s, NoneTensorSpec)]
    types = [s.dtype if isinstance(s, TensorSpec) else dtypes.variant for s in specs]
    return {"_file_types": types} if leaves is None else {"_leaves": leaves, "_file_types": types}


def _compression(compression) -> str:
    if compression not in (None, "", "NONE", "AUTO", "GZIP", "SNAPPY"):
        raise errors.InvalidArgumentError(None, None, f"Unsupported compression_type: {compression}.")
    return compression or "NONE"


def _reader(reader_func, spec):
    """The function from the dataset of shards to the dataset of elements."""
    if reader_func is None:
        cycle = os.cpu_count()
        reader_func = lambda shards: shards.interleave(lambda s: s, cycle_length=cycle, num_parallel_calls=AUTOTUNE)
    return Traced(reader_func, "load()", DatasetSpec(DatasetSpec(spec)))


class SaveMethods(Family):
    """`save`, `load`, `snapshot`, `fingerprint`."""

    def save(self, path, compression=None, shard_func=None, checkpoint_args=None):
        """Writes all elements to a folder that `load` reads, here and in TensorFlow.

        Args:
          path: The folder; it is created.
          compression: None, "GZIP" or "SNAPPY".
          shard_func: A function from an element to the number of its shard, an int64 scalar; by default there is one
            shard.
          checkpoint_args: Arguments of `tf.train.CheckpointManager`, without `checkpoint`. With them the position is
            saved now and then, and a program that was stopped resumes where it was.

        Raises:
          InvalidArgumentError: There is no such compression.

        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> tf.data.Dataset.range(3).save(folder)
        >>> [int(x) for x in tf.data.Dataset.load(folder)]
        [0, 1, 2]
        """
        from reflow.saved_model import structures

        folder = os.fspath(path) if not hasattr(path, "_dtype") else path.numpy().decode()
        with os_errors(folder):
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, SPEC_FILE), "wb") as file:
                file.write(structures.encode(self.element_spec).SerializeToString())
        dummy = shard_func is None
        shard = Traced((lambda *_: constant(0, dtypes.int64)) if dummy else shard_func, "save()", self.element_spec)
        inputs = (convert_to_tensor(folder, dtypes.string), *shard.captured)
        attrs = {
            "compression": _compression(compression),
            "shard_func": shard.graph,
            "use_shard_func": not dummy,
            "Tshard_func_args": shard.captured_types,
            **file_attrs(self.element_spec),
        }
        if not checkpoint_args or state.graph is not None:
            call("SaveDataset", (self._variant_tensor, *inputs), attrs)
            return state.graph.nodes[-1] if state.graph is not None else None  # a program of version 1 runs the op
        return _save_with_checkpoints(self._then("SaveDatasetV2", inputs, attrs), checkpoint_args)

    @staticmethod
    def load(path, element_spec=None, compression=None, reader_func=None, wait=False) -> DatasetV2:
        """Reads the elements that `save` wrote.

        Args:
          path: The folder.
          element_spec: The structure of `tf.TypeSpec`s of an element; by default it is read from the folder.
          compression: What `save` was told.
          reader_func: A function from a dataset of shards, each a dataset, to the dataset of elements; by default they
            are interleaved.
          wait: Whether to wait until another process has written the whole folder.

        Returns:
          A dataset.

        Raises:
          NotFoundError: There is no saved dataset at `path`.
        """
        from reflow.saved_model import structures

        folder = os.fspath(path) if not hasattr(path, "_dtype") else path.numpy().decode()
        if wait:
            _wait_for(folder)
        if element_spec is None:
            name = os.path.join(folder, SPEC_FILE)
            if not os.path.exists(name):
                raise errors.NotFoundError(None, None, f"tf.data snapshot element_spec file not found: {name}.")
            with os_errors(name), open(name, "rb") as file:
                proto = parse(structures.StructuredValue, file.read(), f"{name} holds no element spec")
            element_spec = structures.decode(proto)
            if not all(isinstance(leaf, TypeSpec) for leaf in nest.flatten(element_spec)):
                raise errors.DataLossError(None, None, f"{name} holds no element spec")
        read = _reader(reader_func, element_spec)
        attrs = {
            "compression": _compression(compression),
            "reader_func": read.graph,
            "Treader_func_args": read.captured_types,
            **file_attrs(element_spec),
        }
        inputs = (convert_to_tensor(folder, dtypes.string), *read.captured)
        return SaveMethods._make("LoadDataset", inputs, element_spec, attrs)

    def snapshot(self, path, compression="AUTO", reader_func=None, shard_func=None, name=None) -> DatasetV2:
        """Writes the elements to files in the first whole pass, and reads them from there in later passes.

        The files belong to this pipeline: another one, or a changed one, writes its own.

        Args:
          path: The folder that the files are put below.
          compression: "AUTO", "GZIP", "SNAPPY" or None.
          reader_func: A function from a dataset of shards, each a dataset, to the dataset of elements.
          shard_func: A function from an element to the number of its shard; by default they go around the CPU cores.
          name: A name for the operation.

        Returns:
          A dataset of the same elements.

        >>> import tempfile
        >>> ds = tf.data.Dataset.range(3).snapshot(tempfile.mkdtemp())
        >>> [int(x) for x in ds] == [int(x) for x in ds]
        True
        """
        source: Any = self
        if shard_func is None:
            source, cores = self._class.zip(self._class.range(dtypes.int64.max), self), os.cpu_count() or 1
            shard_func = lambda index, _: index % cores
        shard = Traced(shard_func, "snapshot()", source.element_spec)
        read = _reader(reader_func, source.element_spec)
        attrs = {
            "compression": compression or "NONE",
            "reader_func": read.graph,
            "shard_func": shard.graph,
            "Treader_func_args": read.captured_types,
            "Tshard_func_args": shard.captured_types,
            **file_attrs(source.element_spec),
        }
        inputs = (convert_to_tensor(os.fspath(path), dtypes.string), *read.captured, *shard.captured)
        dataset = source._then("SnapshotDatasetV2", inputs, attrs, name=name)
        return dataset if source is self else dataset.map(lambda _, element: element)

    def fingerprint(self):
        """Returns a number that is equal for equal pipelines.

        Returns:
          A uint64 scalar.

        >>> int(tf.data.Dataset.range(3).fingerprint()) == int(tf.data.Dataset.range(3).fingerprint())
        True
        """
        return call("DatasetFingerprint", (self._variant_tensor,))


def _save_with_checkpoints(dataset, arguments: dict):
    from reflow.train.checkpoint import Checkpoint
    from reflow.train.manager import CheckpointManager

    if "checkpoint" in arguments:
        raise ValueError("'Invalid `checkpoint_args`. `checkpoint_args` are not allowed to include 'checkpoint'.")
    iterator = iter(dataset)
    checkpoint = Checkpoint(iterator=iterator)
    manager = CheckpointManager(checkpoint=checkpoint, **arguments)
    checkpoint.restore(manager.latest_checkpoint)
    for _ in iterator:
        if arguments.get("step_counter") is not None:
            arguments["step_counter"].assign_add(1)
        manager.save(check_interval=True)


def _wait_for(folder: str):
    """Until another process has completed the folder."""
    import time

    from reflow.data.engine.snapshot_files import read_metadata

    while not ((found := read_metadata(folder)) and found["finalized"]):
        failed = os.path.join(folder, ERROR_FILE)
        if os.path.exists(failed):
            with open(failed) as file:
                raise errors.InternalError(None, None, f"tf.data snapshot at {folder} failed: {file.read()}")
        time.sleep(0.1)


@export("data.experimental.save")
def save(dataset, path, compression=None, shard_func=None, checkpoint_args=None):
    """The same as `dataset.save`.

    Args:
      dataset: The dataset to write.
      path: The folder; it is created.
      compression: None, "GZIP" or "SNAPPY".
      shard_func: A function from an element to the number of its shard; by default there is one shard.
      checkpoint_args: Arguments of `tf.train.CheckpointManager` to save the position with, see `tf.data.Dataset.save`.

    Returns:
      None; in a graph, the operation that writes.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.data.experimental.save(tf.data.Dataset.range(3), folder)
    >>> len(tf.data.experimental.load(folder))
    3
    """
    return dataset.save(path, compression, shard_func, checkpoint_args)


@export("data.experimental.load")
def load(path, element_spec=None, compression=None, reader_func=None):
    """The same as `tf.data.Dataset.load`.

    Args:
      path: The folder that a dataset was saved to.
      element_spec: The structure of `tf.TypeSpec`s of an element; by default it is read from the folder.
      compression: What `save` was told.
      reader_func: A function from a dataset of shards, each a dataset, to the dataset of elements.

    Returns:
      A dataset.

    Raises:
      NotFoundError: There is no saved dataset at `path`.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.data.Dataset.range(2).save(folder)
    >>> [int(x) for x in tf.data.experimental.load(folder)]
    [0, 1]
    """
    return SaveMethods.load(path, element_spec, compression, reader_func)


@export("data.experimental.snapshot")
def snapshot(path, compression="AUTO", reader_func=None, shard_func=None):
    """Returns a transformation that calls `dataset.snapshot` with these arguments.

    Args:
      path: The folder that the files are put below.
      compression: "AUTO", "GZIP", "SNAPPY" or None.
      reader_func: A function from a dataset of shards, each a dataset, to the dataset of elements.
      shard_func: A function from an element to the number of its shard.

    Returns:
      A function from a dataset to a dataset, for `tf.data.Dataset.apply`.

    >>> import tempfile
    >>> ds = tf.data.Dataset.range(2).apply(tf.data.experimental.snapshot(tempfile.mkdtemp()))
    >>> [int(x) for x in ds]
    [0, 1]
    """
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)
