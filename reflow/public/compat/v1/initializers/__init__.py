# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.initializers`."""

from reflow.api.initializers import Constant as constant
from reflow.api.initializers import Ones as ones
from reflow.api.initializers import Zeros as zeros

__all__ = [
    "constant", "ones", "zeros",
]
