"""The public namespace, as decorators: `@export("add", "math.add")` makes a function `tf.add` and `tf.math.add`.

`TABLE` maps each dotted public name to its object; `reflow/__init__.py` builds the namespaces from it.
"""

from __future__ import annotations

from typing import Any

TABLE: dict[str, Any] = {}


def export(*names: str):
    """Give an object its public names. A name is taken once."""

    def register(thing):
        for name in names:
            if name in TABLE:
                raise ValueError(f"The public name tf.{name} is exported twice.")
            TABLE[name] = thing
        return thing

    return register


def export_value(value, *names: str):
    """Export something that is not defined here by `def` or `class`; returns it."""
    return export(*names)(value)
