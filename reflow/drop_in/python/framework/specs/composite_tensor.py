"""`tensorflow.python.framework.composite_tensor`: the parts of composite tensors."""

from __future__ import annotations

from typing import Any

from reflow.core import nest


def replace_composites_with_components(structure: Any) -> Any:
    """A structure with each composite tensor as the structure of its parts."""
    if getattr(structure, "_is_composite", False):
        return replace_composites_with_components(structure._type_spec._to_components(structure))
    return nest.map_structure(replace_composites_with_components, structure) if nest.is_nested(structure) else structure
