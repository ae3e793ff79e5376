"""`tf.saved_model.Asset`: a file that belongs to a model."""

from __future__ import annotations

import os

from reflow.api.export import export
from reflow.core.tensor import EagerTensor
from reflow.graph.refusals import within
from reflow.ops.convert import to_array
from reflow.tracking.trackable import Trackable


@export("saved_model.Asset")
class Asset(Trackable):
    """A file that `tf.saved_model.save` copies into the model's folder."""

    def __init__(self, path):
        self._path = os.fspath(path.numpy().decode() if hasattr(path, "numpy") else path)
        self._asset_path = EagerTensor(to_array(os.path.abspath(self._path)))
        self._asset_path.always_captured = True

    path = property(lambda self: self._path)

    @property
    def asset_path(self):
        """The path as a string tensor."""
        return self._asset_path


def checked_path(folder: str, name: str) -> str:
    """The path of an asset inside a model's folder. ValueError for a name that leads out of it.

    >>> checked_path("/model", "words.txt")
    '/model/assets/words.txt'
    """
    root = os.path.join(folder, "assets")
    path = os.path.join(root, name)
    parts = name.replace("\\", "/").split("/")
    bad = not name or os.path.isabs(name) or ".." in parts or "\0" in name
    if bad or not within(root, path):
        raise ValueError(f"The SavedModel in {folder} names an asset outside its own folder: {name!r}.")
    return path
