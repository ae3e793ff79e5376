# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.dispatch`."""

from reflow.api.dispatchers import GlobalOpDispatcher as GlobalOpDispatcher
from reflow.api.dispatchers import OpDispatcher as OpDispatcher
from reflow.api.dispatchers import add_dispatch_support as add_dispatch_support
from reflow.api.dispatchers import dispatch_for_types as dispatch_for_types
