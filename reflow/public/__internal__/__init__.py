# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.__internal__`: what Keras and other libraries use of TensorFlow's insides."""

from reflow.api.framework.decorators import getfullargspec as getfullargspec
from reflow.api.framework.decorators import tf_export as tf_export
from reflow.api.framework.internal import CompositeTensor as CompositeTensor
from reflow.api.framework.internal import execute_fn_for_device as execute_fn_for_device
from reflow.api.framework.internal import get_enclosing_xla_context as get_enclosing_xla_context
from reflow.api.framework.internal import get_name_scope as get_name_scope
from reflow.api.framework.internal import is_tfrt_enabled as is_tfrt_enabled
from reflow.api.framework.internal import register_call_context_function as register_call_context_function
from reflow.api.framework.internal import register_clear_session_function as register_clear_session_function
from reflow.api.framework.internal import register_get_session_function as register_get_session_function
from reflow.api.framework.internal import register_load_model_function as register_load_model_function
from reflow.core.tensor import EagerTensor as EagerTensor
from reflow.graph.func_graph import FuncGraph as FuncGraph
from reflow.graph.symbolic import SymbolicTensor as SymbolicTensor
from reflow.public.__internal__ import autograph as autograph
from reflow.public.__internal__ import composite_tensor as composite_tensor
from reflow.public.__internal__ import config as config
from reflow.public.__internal__ import data as data
from reflow.public.__internal__ import decorator as decorator
from reflow.public.__internal__ import deprecation as deprecation
from reflow.public.__internal__ import dispatch as dispatch
from reflow.public.__internal__ import distribute as distribute
from reflow.public.__internal__ import eager_context as eager_context
from reflow.public.__internal__ import freeze as freeze
from reflow.public.__internal__ import function as function
from reflow.public.__internal__ import monitoring as monitoring
from reflow.public.__internal__ import nest as nest
from reflow.public.__internal__ import numpy_dtypes as numpy_dtypes
from reflow.public.__internal__ import ops as ops
from reflow.public.__internal__ import ragged as ragged
from reflow.public.__internal__ import random as random
from reflow.public.__internal__ import smart_cond as smart_cond
from reflow.public.__internal__ import sparse_csr as sparse_csr
from reflow.public.__internal__ import tf2 as tf2
from reflow.public.__internal__ import tracking as tracking
from reflow.public.__internal__ import type_spec_registry as type_spec_registry
from reflow.public.__internal__ import types as types
from reflow.public.__internal__ import xla as xla

__all__ = [
    "CompositeTensor", "EagerTensor", "FuncGraph", "SymbolicTensor", "autograph", "composite_tensor", "config", "data",
    "decorator", "deprecation", "dispatch", "distribute", "eager_context", "execute_fn_for_device", "freeze",
    "function", "get_enclosing_xla_context", "get_name_scope", "getfullargspec", "is_tfrt_enabled", "monitoring",
    "nest", "numpy_dtypes", "ops", "ragged", "random", "register_call_context_function",
    "register_clear_session_function", "register_get_session_function", "register_load_model_function", "smart_cond",
    "sparse_csr", "tf2", "tf_export", "tracking", "type_spec_registry", "types", "xla",
]
