# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.linalg.experimental`."""

from reflow.api.linalg.conjugate_gradient import conjugate_gradient as conjugate_gradient
