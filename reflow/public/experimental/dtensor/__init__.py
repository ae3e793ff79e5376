# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.experimental.dtensor`."""

from reflow.api.framework.small_namespaces import MATCH as MATCH
from reflow.api.framework.small_namespaces import UNSHARDED as UNSHARDED
