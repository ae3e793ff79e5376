"""Inspects checkpoints without their objects: readers, lists of keys, waiting for new ones."""

from __future__ import annotations

import collections
import os
import time
from collections.abc import Callable, Iterator

from reflow.api.export import export
from reflow.core import dtypes, errors
from reflow.core import logging as log
from reflow.tracking.trackable import ObjectIdentitySet, Trackable, TrackableView
from reflow.train import checkpoint_state, object_graph
from reflow.train.object_graph import OBJECT_GRAPH_KEY
from reflow.train.slice_files import open_checkpoint


class CheckpointReader:
    """What `tf.train.load_checkpoint` returns."""

    def __init__(self, prefix: str):
        self._reader = open_checkpoint(prefix)

    def has_tensor(self, tensor_str: str) -> bool:
        return tensor_str in self._reader

    def get_tensor(self, tensor_str: str):
        """The value: an array, or a NumPy scalar or bytes if it has no dimensions."""
        if tensor_str not in self._reader:
            raise errors.NotFoundError(None, None, f"Key {tensor_str} not found in checkpoint")
        return self._reader.get(tensor_str)[()]

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        return {key: list(self._reader.shape_and_dtype(key)[0]) for key in self._reader}

    def get_variable_to_dtype_map(self) -> dict[str, dtypes.DType]:
        return {key: dtypes.as_dtype(self._reader.dtype_enum(key)) for key in self._reader}

    def debug_string(self) -> bytes:
        types, shapes = self.get_variable_to_dtype_map(), self.get_variable_to_shape_map()
        lines = [f"{key} (DT_{_proto_name(types[key])}) [{','.join(map(str, shapes[key]))}]\n" for key in self._reader]
        return "".join(lines).encode()


def _proto_name(dtype: dtypes.DType) -> str:
    return {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}.get(dtype.name, dtype.name.upper())


@export("compat.v1.train.NewCheckpointReader")
def new_checkpoint_reader(filepattern: str) -> CheckpointReader:
    """A reader of the checkpoint with a prefix.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(v=tf.Variable(2.0)).write(tempfile.mkdtemp() + "/x")
    >>> tf.compat.v1.train.NewCheckpointReader(path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE").item()
    2.0
    """
    return CheckpointReader(os.fspath(filepattern))


@export("train.load_checkpoint")
def load_checkpoint(ckpt_dir_or_file) -> CheckpointReader:
    """Opens a checkpoint to read single values.

    Args:
      ckpt_dir_or_file: The prefix of a checkpoint, or a folder, whose latest checkpoint is taken.

    Returns:
      A reader with `get_tensor`, `has_tensor`, `get_variable_to_shape_map` and `get_variable_to_dtype_map`.

    Raises:
      ValueError: The folder has no checkpoint.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(x=tf.Variable(1.5)).write(tempfile.mkdtemp() + "/ckpt")
    >>> tf.train.load_checkpoint(path).get_tensor("x/.ATTRIBUTES/VARIABLE_VALUE").item()
    1.5
    """
    path = os.fspath(ckpt_dir_or_file)
    prefix = checkpoint_state.latest_checkpoint(path) if os.path.isdir(path) else path
    if prefix is None:
        raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}")
    return CheckpointReader(prefix)


@export("train.load_variable")
def load_variable(ckpt_dir_or_file, name: str):
    """Returns the value that a checkpoint holds under a key.

    Args:
      ckpt_dir_or_file: The prefix of a checkpoint, or a folder, whose latest checkpoint is taken.
      name: The key, as `tf.train.list_variables` gives it.

    Returns:
      A NumPy array.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(x=tf.Variable(1.5)).write(tempfile.mkdtemp() + "/ckpt")
    >>> tf.train.load_variable(path, "x/.ATTRIBUTES/VARIABLE_VALUE").item()
    1.5
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


@export("train.list_variables")
def list_variables(ckpt_dir_or_file) -> list[tuple[str, list[int]]]:
    """Returns the keys and shapes in a checkpoint.

    Args:
      ckpt_dir_or_file: The prefix of a checkpoint, or a folder, whose latest checkpoint is taken.

    Returns:
      A sorted list of pairs of a key and a shape, a list of integers.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(x=tf.Variable([1.5])).write(tempfile.mkdtemp() + "/ckpt")
    >>> [found for found in tf.train.list_variables(path) if found[0].startswith("x")]
    [('x/.ATTRIBUTES/VARIABLE_VALUE', [1])]
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def object_graph_key_mapping(checkpoint_path) -> dict[str, str]:
    """The keys of the variables in a checkpoint of objects, by the names that the variables had.

    Raises:
      tf.errors.NotFoundError: the checkpoint holds variables by name, and no object graph.
    """
    nodes = object_graph.parse(CheckpointReader(os.fspath(checkpoint_path)).get_tensor(OBJECT_GRAPH_KEY))
    return {full_name: key for node in nodes for _, full_name, key in node.attributes if full_name}


def wait_for_new_checkpoint(
    checkpoint_dir, last_checkpoint=None, seconds_to_sleep: float = 1, timeout: float | None = None
) -> str | None:
    """The folder's latest checkpoint as soon as it is another than `last_checkpoint`; None after `timeout` seconds."""
    log.logger.info("Waiting for new checkpoint at %s", checkpoint_dir)
    stop = None if timeout is None else time.time() + timeout
    while True:
        path = checkpoint_state.latest_checkpoint(checkpoint_dir)
        if path is not None and path != last_checkpoint:
            return path
        if stop is not None and time.time() + seconds_to_sleep > stop:
            return None
        time.sleep(seconds_to_sleep)


@export("train.checkpoints_iterator")
def checkpoints_iterator(
    checkpoint_dir, min_interval_secs: float = 0, timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Yields each new checkpoint of a folder as it appears.

    Args:
      checkpoint_dir: The folder.
      min_interval_secs: How many seconds lie between two checkpoints at least.
      timeout: After how many seconds without a new one the iteration ends; by default never.
      timeout_fn: A function that is asked then; the iteration ends only if it returns True.

    Yields:
      The prefix of a checkpoint.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(x=tf.Variable(1)).save(folder + "/ckpt")
    >>> [found == path for found in tf.train.checkpoints_iterator(folder, timeout=0)]
    [True]
    """
    last = None
    while True:
        path = wait_for_new_checkpoint(checkpoint_dir, last, timeout=timeout)
        if path is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        start, last = time.time(), path
        yield path
        remaining = start + min_interval_secs - time.time()
        if remaining > 0:
            time.sleep(remaining)


@export("train.CheckpointView")
class CheckpointView:
    """Shows the object graph in a checkpoint, to be compared with live objects.

    Args:
      save_path: The prefix of a checkpoint.

    Raises:
      ValueError: The checkpoint holds variables by name, and no objects.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(x=tf.Variable(1)).write(tempfile.mkdtemp() + "/ckpt")
    >>> tf.train.CheckpointView(path).children(0)["x"] > 0
    True
    """

    def __init__(self, save_path):
        reader = open_checkpoint(save_path)
        if OBJECT_GRAPH_KEY not in reader:
            raise ValueError(
                f'The specified checkpoint "{save_path}" does not appear to be object-based (saved with TF2) since it '
                f'is missing the key "{OBJECT_GRAPH_KEY}". Likely it was created with the TF1 name-based saver and '
                'does not '
                "contain an object dependency graph."
            )
        self._nodes = object_graph.parse(reader.get(OBJECT_GRAPH_KEY).item())

    def children(self, node_id: int) -> dict[str, int]:
        """Returns the children of a node.

        Args:
          node_id: The id of the node; the root has 0.

        Returns:
          A dictionary from names to ids.
        """
        return dict(self._nodes[node_id].children)

    def descendants(self) -> list[int]:
        """Returns all nodes that can be reached from the root, breadth first.

        Returns:
          A list of ids.
        """
        found, pending = [0], collections.deque([0])
        while pending:
            for child in self.children(pending.popleft()).values():
                if child not in found:
                    found.append(child)
                    pending.append(child)
        return found

    def match(self, obj) -> dict[int, Trackable]:
        """Finds the objects below `obj` that have a node at the same place.

        Args:
          obj: A trackable object, which stands for the root.

        Returns:
          A dictionary from ids of nodes to objects.

        Raises:
          ValueError: `obj` is not trackable.
        """
        if not isinstance(obj, Trackable):
            raise ValueError(f"Expected a Trackable, got {obj} of type {type(obj)}.")
        matched, pending = {0: obj}, collections.deque([0])
        while pending:
            node_id = pending.popleft()
            live = TrackableView.children(matched[node_id])
            for name, child in self.children(node_id).items():
                if child not in matched and name in live:
                    matched[child] = live[name]
                    pending.append(child)
        return matched

    def diff(self, obj) -> tuple[dict[int, Trackable], list[int], list[Trackable]]:
        """Compares the checkpoint with live objects.

        Args:
          obj: A trackable object, which stands for the root.

        Returns:
          Three things: what matches, the nodes that only the checkpoint has, and the objects that only `obj` has.
        """
        matched = self.match(obj)
        in_both = ObjectIdentitySet(matched.values())
        return (
            matched,
            [i for i in self.descendants() if i not in matched],
            [x for x in TrackableView(obj).descendants() if x not in in_both],
        )
