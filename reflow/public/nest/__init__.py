# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.nest`: nested structures."""

from reflow.core.nest import assert_same_structure as assert_same_structure
from reflow.core.nest import flatten as flatten
from reflow.core.nest import is_nested as is_nested
from reflow.core.nest import map_structure as map_structure
from reflow.core.nest import pack_sequence_as as pack_sequence_as
