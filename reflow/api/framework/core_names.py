"""Public names of objects defined in lower layers: values, variables, the tape, functions, graphs, control flow."""

from __future__ import annotations

import contextlib

from reflow.api.export import export, export_value
from reflow.core import dtypes, errors, nest, shallow_nest, shapes, specs
from reflow.core.context import executing_eagerly, init_scope, state
from reflow.core.indexed_slices import IndexedSlices, IndexedSlicesSpec
from reflow.core.name_scope import name_scope
from reflow.core.tensor import Tensor, TensorBase
from reflow.eager import tape, variables
from reflow.eager.forward import ForwardAccumulator
from reflow.function import control_flow, function
from reflow.graph.func_graph import FuncGraph
from reflow.graph.graph import Graph, Node

for _d in dtypes.ALL:
    if _d.is_narrow:
        export_value(_d, f"dtypes.experimental.{_d.name}")
    else:
        export_value(_d, _d.name, f"dtypes.{_d.name}")
QUANTIZED_DTYPES = export_value(
    frozenset(d for d in dtypes.ALL if d.is_quantized), "dtypes.QUANTIZED_DTYPES", "compat.v1.QUANTIZED_DTYPES"
)
export_value(dtypes.float16, "half", "dtypes.half")
export_value(dtypes.float64, "double", "dtypes.double")
export_value(dtypes.DType, "DType", "dtypes.DType")
export_value(dtypes.as_dtype, "as_dtype", "dtypes.as_dtype")
export_value(tape.GradientTape, "GradientTape", "autodiff.GradientTape")
for _name, _thing in {
    "Tensor": Tensor,
    "__internal__.types.Tensor": TensorBase,
    "TensorShape": shapes.TensorShape,
    "TensorSpec": specs.TensorSpec,
    "TypeSpec": specs.TypeSpec,
    "NoneTensorSpec": specs.NoneTensorSpec,
    "IndexedSlices": IndexedSlices,
    "IndexedSlicesSpec": IndexedSlicesSpec,
    "type_spec_from_value": specs.type_spec_from_value,
    "Variable": variables.Variable,
    "VariableSynchronization": variables.VariableSynchronization,
    "VariableAggregation": variables.VariableAggregation,
    "variable_creator_scope": variables.variable_creator_scope,
    "UnconnectedGradients": tape.UnconnectedGradients,
    "autodiff.ForwardAccumulator": ForwardAccumulator,
    "function": function.function,
    "name_scope": name_scope,
    "Graph": Graph,
    "Operation": Node,
    "__internal__.FuncGraph": FuncGraph,
    "executing_eagerly": executing_eagerly,
    "init_scope": init_scope,
    "cond": control_flow.cond,
    "while_loop": control_flow.while_loop,
    "__internal__.nest.is_attrs": nest.is_attrs,
    "__internal__.nest.is_mapping": nest.is_mapping,
    "__internal__.nest.sequence_like": nest.rebuild,
}.items():
    export_value(_thing, _name)
for _name in ("flatten", "pack_sequence_as", "map_structure", "assert_same_structure", "is_nested"):
    export_value(getattr(nest, _name), f"nest.{_name}", f"__internal__.nest.{_name}")
for _name in (
    "flatten_up_to", "get_traverse_shallow_structure", "list_to_tuple", "map_structure_up_to", "yield_flat_paths"
):
    export_value(getattr(shallow_nest, _name), f"__internal__.nest.{_name}")
for _name, _thing in vars(errors).items():
    if isinstance(_thing, int) or isinstance(_thing, type) and issubclass(_thing, errors.OpError):
        export_value(_thing, f"errors.{_name}")
export_value(errors.InaccessibleTensorError, "errors.InaccessibleTensorError")
export_value(errors.OperatorNotAllowedInGraphError, "errors.OperatorNotAllowedInGraphError")


@export("control_dependencies")
def control_dependencies(control_inputs):
    """Makes nodes that a `with` block adds to a graph run after others. In eager code everything runs in order already.

    Args:
      control_inputs: Tensors and operations that must have run, or None to drop those of outer blocks; in eager code
        functions among them are called.

    Returns:
      A context manager.

    >>> v = tf.Variable(1)
    >>> @tf.function
    ... def read_after_write():
    ...     with tf.control_dependencies([v.assign(5)]):
    ...         return tf.identity(v)
    >>> read_after_write().numpy().item()
    5
    """
    if state.graph is None:
        for control in (control_inputs,) if callable(control_inputs) else control_inputs or ():
            if callable(control):
                control()
        return contextlib.nullcontext()
    return state.graph.control_dependencies(control_inputs)


@export("inside_function")
def inside_function() -> bool:
    """Says whether a function is being traced.

    Returns:
      A Python bool.

    >>> inside_function()
    False
    """
    return state.graph is not None and state.graph.building_function


@export("compat.v1.placeholder")
def placeholder(dtype, shape=None, name=None):
    """Creates an input of the graph under construction, which sessions are fed (not in eager code).

    Args:
      dtype: The dtype of what is fed.
      shape: Its shape, with None for any size; by default any shape.
      name: A name for the operation.

    Returns:
      A symbolic tensor.

    Raises:
      RuntimeError: Code runs eagerly.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.float32, shape=[None])
    ...     session.run(x * 2.0, feed_dict={x: [1.0, 2.0]}).tolist()
    [2.0, 4.0]
    """
    if state.graph is None:
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    from reflow.graph.graph import Graph as Base
    from reflow.ops import registry

    with state.graph.name_scope_for(name or "Placeholder"):
        return Base.add(
            state.graph, registry.get("Placeholder"), (),
            {"dtype": dtypes.as_dtype(dtype), "shape": shapes.dims_of(shape)},
        )
