# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.types.experimental`."""

from reflow.core.types import TensorLike as TensorLike
from reflow.function.function_type import FunctionType as FunctionType
