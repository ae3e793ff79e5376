# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.distribute.combinations`."""

from reflow.compat.sessions.combinations import generate as generate
