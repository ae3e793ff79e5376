"""Properties that only show, or also set, an attribute of the object: said in one line each."""

from __future__ import annotations

import operator
from typing import Any


def read_only(attribute: str, doc: str | None = None) -> Any:
    """A property that gives `self.<attribute>`; `attribute` may lead through objects ("_hints.is_square")."""
    return property(operator.attrgetter(attribute), doc=doc)


def shown(*names: str) -> tuple[Any, ...]:
    """Read-only properties of these names, one for each attribute of the same name with an underscore in front."""
    return tuple(read_only(f"_{name}") for name in names)


def read_write(attribute: str, doc: str | None = None) -> Any:
    """A property that gives `self.<attribute>` and sets it."""
    return property(operator.attrgetter(attribute), lambda self, value: setattr(self, attribute, value), doc=doc)
