# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.type_spec_registry`."""

from reflow.api.framework.internal import lookup_type_spec as lookup
from reflow.api.framework.internal import register_type_spec as register
from reflow.api.framework.internal import type_spec_name as get_name

__all__ = [
    "get_name", "lookup", "register",
]
