# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.distribute.combinations`."""

from typing import TYPE_CHECKING

from reflow.core.namespaces import later

if TYPE_CHECKING:
    from reflow.compat.sessions.combinations import generate as generate

__getattr__ = later(__name__)

__all__ = [
    "generate",
]
