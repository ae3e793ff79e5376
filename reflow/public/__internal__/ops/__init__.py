# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.ops`."""

from reflow.api.framework.internal import is_resource_variable as is_resource_variable
from reflow.compat.losses import broadcast_weights as broadcast_weights
