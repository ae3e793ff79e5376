# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.tf2`."""

from reflow.api.framework.internal import tf2_enabled as enabled

__all__ = [
    "enabled",
]
