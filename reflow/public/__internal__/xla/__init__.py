# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.xla`."""

from reflow.api.framework.xla import call_module as call_module
from reflow.api.framework.xla import call_module_maximum_supported_version as call_module_maximum_supported_version
from reflow.api.framework.xla import dynamic_slice as dynamic_slice
from reflow.api.framework.xla import dynamic_update_slice as dynamic_update_slice
