# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.types.experimental`."""

from reflow.api.framework.small_namespaces import Callable as Callable
from reflow.api.framework.small_namespaces import SupportsTracingProtocol as SupportsTracingProtocol
from reflow.core.types import TensorLike as TensorLike
from reflow.function.atomic import AtomicFunction as AtomicFunction
from reflow.function.concrete import ConcreteFunction as ConcreteFunction
from reflow.function.function import Function as GenericFunction
from reflow.function.function import Function as PolymorphicFunction
from reflow.function.function_type import FunctionType as FunctionType
from reflow.function.trace_key import TraceType as TraceType
from reflow.public.types.experimental import distributed as distributed

__all__ = [
    "AtomicFunction", "Callable", "ConcreteFunction", "FunctionType", "GenericFunction", "PolymorphicFunction",
    "SupportsTracingProtocol", "TensorLike", "TraceType", "distributed",
]
