# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.config`."""

from reflow.api.config import list_local_devices as list_local_devices
from reflow.api.runtime_settings import disable_op_determinism as disable_op_determinism
from reflow.api.runtime_settings import is_op_determinism_enabled as is_op_determinism_enabled
