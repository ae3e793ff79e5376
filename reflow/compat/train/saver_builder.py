"""The builder of `tf.compat.v1.train.Saver`: adds the nodes of a saver to a graph.

Programs may override parts of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorboard.compat.proto.saver_pb2 import SaverDef

from reflow.compat.train import saver_ops
from reflow.train import saveables
from reflow.train.checkpoint_reader import object_graph_key_mapping  # noqa: F401 - TensorFlow has it in the same module


class BaseSaverBuilder:
    """Adds the nodes of a `Saver`; a subclass may replace `build`."""

    SaveSpec = saveables.SaveSpec
    SaveableObject = saveables.SaveableObject
    VariableSaveable = ResourceVariableSaveable = saveables.VariableSaveable

    def __init__(self, write_version: int = SaverDef.V2) -> None:
        self._write_version = write_version

    def build(
        self, saveable_objects: Sequence[saveables.SaveableObject], options: Any, name: str | None,
        filename: str | None, reshape: bool,
    ) -> Any:
        """The SaverDef of the nodes."""
        return saver_ops.add_saver(saveable_objects, options, name, filename, reshape)

    def save_op(self, filename_tensor: Any, saveable_objects: Sequence[saveables.SaveableObject]) -> Any:
        """The operation that writes the values under a prefix."""
        return saver_ops.save_values(filename_tensor, saveable_objects, self._write_version)


class BulkSaverBuilder(BaseSaverBuilder):
    """The builder that a `Saver` has if it is given none."""
