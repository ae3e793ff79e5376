# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.user_ops`."""

from reflow.compat.older_names import my_fact as my_fact
