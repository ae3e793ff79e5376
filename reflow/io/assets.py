"""`tf.saved_model.Asset`: a file that belongs to a model, such as the vocabulary of a table."""

from __future__ import annotations

import os
import weakref
from typing import Any

from reflow.api.array.arrange import identity
from reflow.api.export import export
from reflow.core.context import init_scope
from reflow.core.tensor import EagerTensor, Tensor
from reflow.ops.convert import convert_to_tensor
from reflow.tracking.trackable import Trackable

#: by the id of its path's tensor
_assets: weakref.WeakValueDictionary[int, Asset] = weakref.WeakValueDictionary()


def is_asset_path(tensor: Tensor) -> bool:
    """Whether a tensor is the path of an asset that exists."""
    return tensor._id in _assets


@export("saved_model.Asset")
class Asset(Trackable):
    """A file that `tf.saved_model.save` copies into the model's folder.

    Args:
      path: The path of the file.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/words.txt"
    >>> tf.io.write_file(path, "a b")
    >>> tf.saved_model.Asset(path).asset_path.numpy().decode() == path
    True
    """

    def __init__(self, path: Any) -> None:
        self._path: str = os.fspath(path.numpy().decode() if hasattr(path, "numpy") else path)
        with init_scope():
            self._asset_path: Tensor = convert_to_tensor(os.path.abspath(self._path))
            if isinstance(self._asset_path, EagerTensor):
                self._asset_path.always_captured = True
            else:
                # functions take over the small constants of a graph, but not this
                self._asset_path = identity(self._asset_path)
        _assets[self._asset_path._id] = self

    path = property(lambda self: self._path)

    @property
    def asset_path(self) -> Tensor:
        """The path as a string tensor."""
        return self._asset_path

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor:
        return convert_to_tensor(self._asset_path, dtype, name=name)
