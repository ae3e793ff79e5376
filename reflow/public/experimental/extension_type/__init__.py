# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.experimental.extension_type`."""

from reflow.api.framework.extension_type import as_dict as as_dict
