"""Checkpoints of DTensors, by object and by name. Files hold unsharded tensors, which can be restored to any layout."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

from reflow.api.export import export
from reflow.core import dtypes, errors
from reflow.core.context import state
from reflow.core.tensor import Tensor
from reflow.distribute.dtensor import clients
from reflow.distribute.dtensor.mesh import Mesh
from reflow.distribute.dtensor.operations import barrier, fetch_layout, relayout
from reflow.eager.variables import Variable
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import run
from reflow.train.checkpoint import Checkpoint, CheckpointOptions


@contextlib.contextmanager
def _prefix_of_client(prefix: Any) -> Iterator[Any]:
    """Where a client writes. All clients take part in gathering the tensors; only the first one's files are kept."""
    if clients.client_id() == 0:
        yield prefix
        return
    with tempfile.TemporaryDirectory() as folder:
        yield os.path.join(folder, "checkpoint")


@export("experimental.dtensor.DTensorCheckpoint")
class DTensorCheckpoint(Checkpoint):
    """`tf.train.Checkpoint` by an older name: variables on meshes need nothing special.

    Args:
      mesh: the mesh of the variables.
      root: the object to save.
      **kwargs: more objects, by name.

    >>> import tempfile
    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> v = tf.experimental.dtensor.DVariable([1.0], layout=tf.experimental.dtensor.Layout(["x"], mesh))
    >>> path = tf.experimental.dtensor.DTensorCheckpoint(mesh, v=v).save(tempfile.mkdtemp() + "/ckpt")
    >>> tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE")
    array([1.], dtype=float32)
    """

    def __init__(self, mesh: Mesh, root: Any = None, **kwargs: Any) -> None:
        super().__init__(root=root, **kwargs)
        self._mesh = mesh

    def _write(self, file_prefix: Any, options: CheckpointOptions | None, session: Any = None) -> str:
        if options is not None and options.experimental_io_device is not None:
            raise ValueError("Specified experimental_io_device in DTensor checkpoint is not supported.")
        with _prefix_of_client(file_prefix) as prefix:
            super()._write(prefix, options, session)
        barrier(self._mesh.host_mesh(), "SaveV2")
        return os.fspath(file_prefix)


@export("experimental.dtensor.sharded_save")
def sharded_save(
    mesh: Mesh, file_prefix: Any, tensor_names: Any, shape_and_slices: Any, tensors: Sequence[Tensor | Variable]
) -> None:
    """Save tensors under names.

    Args:
      mesh: the mesh that they are on.
      file_prefix: where the files begin.
      tensor_names: a name for each tensor.
      shape_and_slices: an empty string for each tensor: slices are not supported.
      tensors: the tensors and variables.

    Returns:
      None.

    >>> import tempfile
    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> x = tf.experimental.dtensor.copy_to_mesh([1.0], tf.experimental.dtensor.Layout(["x"], mesh))
    >>> path = tempfile.mkdtemp() + "/ckpt"
    >>> tf.experimental.dtensor.sharded_save(mesh, path, ["x"], [""], [x])
    >>> tf.train.load_variable(path, "x")
    array([1.], dtype=float32)
    """
    values = [convert_to_tensor(t) for t in tensors]
    with _prefix_of_client(file_prefix) as own:
        prefix, names, slices = [
            convert_to_tensor(t, dtype=dtypes.string) for t in (own, tensor_names, shape_and_slices)
        ]
        run("SaveV2", prefix, names, slices, *values)
    barrier(mesh.host_mesh(), "SaveV2")


@export("experimental.dtensor.name_based_save")
def name_based_save(mesh: Mesh, checkpoint_prefix: Any, name_tensor_dict: dict[str, Any]) -> None:
    """Saves DTensors and variables under names.

    Args:
      mesh: The mesh that they are on.
      checkpoint_prefix: Where the files begin.
      name_tensor_dict: A dictionary from names to tensors and variables.

    Returns:
      None.

    Raises:
      ValueError: It is called in a function.

    >>> import tempfile
    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> x = tf.experimental.dtensor.copy_to_mesh([1.0], tf.experimental.dtensor.Layout(["x"], mesh))
    >>> tf.experimental.dtensor.name_based_save(mesh, tempfile.mkdtemp() + "/ckpt", {"x": x})
    """
    if state.graph is not None:
        raise ValueError("name based save must run eagerly.")
    names = list(name_tensor_dict)
    sharded_save(mesh, checkpoint_prefix, names, [""] * len(names), list(name_tensor_dict.values()))


@export("experimental.dtensor.name_based_restore")
def name_based_restore(
    mesh: Mesh, checkpoint_prefix: str, name_tensor_dict: dict[str, Any]
) -> OrderedDict[str, Tensor]:
    """Read tensors by name from a checkpoint.

    Args:
      mesh: the mesh that they are restored to.
      checkpoint_prefix: where the files begin.
      name_tensor_dict: for each name a DTensor or a variable, whose dtype and layout the result gets.

    Returns:
      A dictionary from the names to the tensors.

    Raises:
      ValueError: in a function; if a tensor is on no mesh of CPUs.

    >>> import tempfile
    >>> mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    >>> x = tf.experimental.dtensor.copy_to_mesh([1.0], tf.experimental.dtensor.Layout(["x"], mesh))
    >>> path = tempfile.mkdtemp() + "/ckpt"
    >>> tf.experimental.dtensor.name_based_save(mesh, path, {"x": x})
    >>> tf.experimental.dtensor.name_based_restore(mesh, path, {"x": x})["x"].numpy()
    array([1.], dtype=float32)
    """
    if state.graph is not None:
        raise ValueError("name based restore must run eagerly.")
    layouts = {}
    for name, tensor in name_tensor_dict.items():
        try:
            layouts[name] = fetch_layout(tensor)
        except errors.OpError as error:
            raise ValueError("Saving/Restoring tensor must be a DTensor") from error
        if layouts[name].mesh.device_type().upper() != "CPU":
            raise ValueError(f"Restoring a non CPU Tensor is not supported currently. Offending tensor name : {name}")
    names = list(name_tensor_dict)
    prefix, keys, slices = [
        convert_to_tensor(t, dtype=dtypes.string) for t in (checkpoint_prefix, names, [""] * len(names))
    ]
    read = run("RestoreV2", prefix, keys, slices, dtypes=[t.dtype for t in name_tensor_dict.values()])
    return OrderedDict((name, relayout(value, layouts[name])) for name, value in zip(names, read, strict=True))
