# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.tpu`."""

from reflow.distribute.tpu.topology import XLAOptions as XLAOptions
from reflow.public.compat.v1.tpu import experimental as experimental
