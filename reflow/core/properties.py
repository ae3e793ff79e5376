"""One-line properties that read, or read and write, an attribute of the object."""

from __future__ import annotations

import operator
from typing import Any


def read_only(attribute: str, doc: str | None = None) -> Any:
    """A property that returns `self.<attribute>`; `attribute` may be a path ("_hints.is_square")."""
    return property(operator.attrgetter(attribute), doc=doc)


def shown(*names: str) -> tuple[Any, ...]:
    """Read-only properties of these names, one for each attribute of the same name with an underscore in front."""
    return tuple(read_only(f"_{name}") for name in names)


def read_write(attribute: str, doc: str | None = None) -> Any:
    """A property that reads and writes `self.<attribute>`."""
    return property(operator.attrgetter(attribute), lambda self, value: setattr(self, attribute, value), doc=doc)
