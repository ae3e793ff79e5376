# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.__internal__`."""

from reflow.graph.symbolic import SymbolicTensor as SymbolicTensor
