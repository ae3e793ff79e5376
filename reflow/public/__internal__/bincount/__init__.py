# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.bincount`."""

from reflow.api.math.bins import validate_dense_weights as validate_dense_weights
