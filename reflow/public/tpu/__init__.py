# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.tpu`: TPUs, which Reflow does not drive."""

from reflow.distribute.tpu.topology import XLAOptions as XLAOptions
from reflow.public.tpu import experimental as experimental
