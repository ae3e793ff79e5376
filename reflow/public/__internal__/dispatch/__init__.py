# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.dispatch`."""

from reflow.api.framework.internal import add_dispatch_support as add_dispatch_support
