# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.xla`."""

from reflow.api.framework.internal import dynamic_slice as dynamic_slice
from reflow.api.framework.internal import dynamic_update_slice as dynamic_update_slice
