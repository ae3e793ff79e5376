"""A module that shows one of the drop-in's, which is loaded when the first attribute is read."""

from __future__ import annotations

import importlib
from typing import Any

from reflow.drop_in.install import install_as_tensorflow


class Namespace:
    """The attributes of the module `target`, for a module named `name`."""

    def __init__(self, name: str, target: str) -> None:
        self.name, self.target = name, target

    def get(self, attribute: str) -> Any:
        if attribute.startswith("__") and attribute != "__version__":
            raise AttributeError(f"module {self.name!r} has no attribute {attribute!r}")
        return getattr(self._loaded(), attribute)

    def names(self) -> list[str]:
        return dir(self._loaded())

    def _loaded(self) -> Any:
        install_as_tensorflow()
        return importlib.import_module(self.target)
