# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.nest`."""

from reflow.core.nest import assert_same_structure as assert_same_structure
from reflow.core.nest import flatten as flatten
from reflow.core.nest import is_attrs as is_attrs
from reflow.core.nest import is_mapping as is_mapping
from reflow.core.nest import is_nested as is_nested
from reflow.core.nest import map_structure as map_structure
from reflow.core.nest import pack_sequence_as as pack_sequence_as
from reflow.core.nest import rebuild as sequence_like
from reflow.core.shallow_nest import flatten_up_to as flatten_up_to
from reflow.core.shallow_nest import get_traverse_shallow_structure as get_traverse_shallow_structure
from reflow.core.shallow_nest import list_to_tuple as list_to_tuple
from reflow.core.shallow_nest import map_structure_up_to as map_structure_up_to
from reflow.core.shallow_nest import yield_flat_paths as yield_flat_paths

__all__ = [
    "assert_same_structure", "flatten", "flatten_up_to", "get_traverse_shallow_structure", "is_attrs", "is_mapping",
    "is_nested", "list_to_tuple", "map_structure", "map_structure_up_to", "pack_sequence_as", "sequence_like",
    "yield_flat_paths",
]
