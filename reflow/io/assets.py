"""`tf.saved_model.Asset`: a file that belongs to a model, such as the vocabulary of a table."""

from __future__ import annotations

import os
from typing import Any

from reflow.api.export import export
from reflow.core.tensor import EagerTensor
from reflow.ops.convert import to_array
from reflow.tracking.trackable import Trackable


@export("saved_model.Asset")
class Asset(Trackable):
    """A file that `tf.saved_model.save` copies into the model's folder."""

    def __init__(self, path: Any) -> None:
        self._path: str = os.fspath(path.numpy().decode() if hasattr(path, "numpy") else path)
        self._asset_path = EagerTensor(to_array(os.path.abspath(self._path)))
        self._asset_path.always_captured = True

    path = property(lambda self: self._path)

    @property
    def asset_path(self) -> EagerTensor:
        """The path as a string tensor."""
        return self._asset_path
