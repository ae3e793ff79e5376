"""Initial values that come from a checkpoint (`tf.__internal__.tracking.CheckpointInitialValue`).

When a restore asks an optimizer for a slot variable, it may create one with the stored value as its initial value.
"""

from __future__ import annotations

from typing import Any

from reflow.api.export import export, export_value
from reflow.core.tensor import EagerTensor, Tensor
from reflow.train.object_graph import VARIABLE_VALUE
from reflow.train.restore import CheckpointPosition, open_reader, tensor_at

#: a stored value that is to be the first one of a variable is an ordinary tensor
CheckpointInitialValue = export_value(EagerTensor, "__internal__.tracking.CheckpointInitialValue")


@export("__internal__.tracking.CheckpointInitialValueCallable")
class CheckpointInitialValueCallable:
    """An initializer that gives the value stored at a position of a checkpoint."""

    def __init__(self, checkpoint_position: CheckpointPosition) -> None:
        self._checkpoint_position = checkpoint_position

    checkpoint_position = property(lambda self: self._checkpoint_position)
    restore_uid = property(lambda self: self._checkpoint_position.restore_uid)

    def __call__(self, shape: Any = None, dtype: Any = None, shard_info: Any = None) -> Tensor:
        """The stored value; its shape and dtype are those of the checkpoint.

        Of a shard, the part that `shard_info` says.
        """
        key = next(key for name, _, key in self._checkpoint_position.node.attributes if name == VARIABLE_VALUE)
        value = tensor_at(open_reader(self._checkpoint_position.checkpoint.save_path), key)
        if shard_info is None:
            return value
        bounds = zip(shard_info.offset, shard_info.shape, strict=True)
        return value[tuple(slice(offset, offset + size) for offset, size in bounds)]
