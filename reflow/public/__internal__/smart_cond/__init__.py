# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.smart_cond`."""

from reflow.api.framework.internal import smart_cond as smart_cond
from reflow.api.framework.internal import smart_constant_value as smart_constant_value
