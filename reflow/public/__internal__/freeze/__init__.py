# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.freeze`."""

from typing import TYPE_CHECKING

from reflow.core.namespaces import later

if TYPE_CHECKING:
    from reflow.compat.freeze import convert_variables_to_constants_v2 as convert_variables_to_constants_v2
    from reflow.compat.freeze import (
        convert_variables_to_constants_v2_as_graph as convert_variables_to_constants_v2_as_graph,
    )

__getattr__ = later(__name__)

__all__ = [
    "convert_variables_to_constants_v2", "convert_variables_to_constants_v2_as_graph",
]
