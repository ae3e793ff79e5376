# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.nest`."""

from reflow.core.nest import assert_same_structure as assert_same_structure
from reflow.core.nest import flatten as flatten
from reflow.core.nest import flatten_up_to as flatten_up_to
from reflow.core.nest import is_nested as is_nested
from reflow.core.nest import map_structure as map_structure
from reflow.core.nest import map_structure_up_to as map_structure_up_to
from reflow.core.nest import pack_sequence_as as pack_sequence_as

__all__ = [
    "assert_same_structure", "flatten", "flatten_up_to", "is_nested", "map_structure", "map_structure_up_to",
    "pack_sequence_as",
]
