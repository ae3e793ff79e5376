# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.test.experimental`."""

from reflow.api.execution_modes import sync_devices as sync_devices
