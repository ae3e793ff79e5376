# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.types.experimental.distributed`."""

from reflow.distribute.values import Mirrored as Mirrored
from reflow.distribute.values import PerReplica as PerReplica
