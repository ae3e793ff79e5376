# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.tpu.experimental`."""

from reflow.distribute.clusters import initialize_tpu_system as initialize_tpu_system
