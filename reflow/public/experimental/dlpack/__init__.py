# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.experimental.dlpack`."""

from reflow.api.framework.dlpack import from_dlpack as from_dlpack
from reflow.api.framework.dlpack import to_dlpack as to_dlpack
