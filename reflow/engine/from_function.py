"""Engines from functions: a `tf.function`, a concrete function, a Keras model, a SavedModel's signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import reflow as tf
from reflow.compat.freeze import convert_variables_to_constants_v2
from reflow.engine.builder import Build
from reflow.engine.config import IBuilderConfig
from reflow.engine.logger import ILogger, Logger
from reflow.engine.rewrite import Rewriter
from reflow.engine.runtime import ICudaEngine, Runtime
from reflow.function.concrete import ConcreteFunction
from reflow.function.tracing import trace_to_graph
from reflow.graph.clone import graphs_in
from reflow.graph.func_graph import FuncGraph


def build_from_function(
    function: Any, config: IBuilderConfig | None = None, specs: Sequence[Any] | Mapping[str, Any] | None = None,
    logger: ILogger | None = None,
) -> ICudaEngine:
    """An engine from a function of tensors, or from a Keras model.

    Variables become weights: the engine keeps the values that they have now.

    Args:
      function: a concrete function, a `tf.function`, a Keras model, or any callable of tensors.
      config: precision, profiles and the like; FP32 by default.
      specs: `tf.TensorSpec`s of the arguments, in order or by name; a concrete function and a Keras model know theirs.
      logger: where messages go.

    >>> double = tf.function(lambda x: x * 2.0)
    >>> engine = tf.engine.build_from_function(double, specs=[tf.TensorSpec([3], name="x")])
    >>> engine.create_execution_context()(tf.constant([1.0, 2.0, 3.0])).numpy()
    array([2., 4., 6.], dtype=float32)
    """
    graph, outputs = frozen(function, specs)
    logger = logger or Logger()
    return Runtime(logger).deserialize_cuda_engine(Build(logger, config or IBuilderConfig(), graph, outputs).plan())


def frozen(function: Any, specs: Any = None) -> tuple[FuncGraph, list[str]]:
    """A function as a graph without variables, and the names of its outputs."""
    graph, outputs = flattened(function, specs)
    if any(t._dtype == tf.resource for node in graph.nodes if graphs_in(node.attrs) for t in node.inputs):
        # also those that loops and branches read
        graph = convert_variables_to_constants_v2(ConcreteFunction(graph)).graph
    return Rewriter(graph).run(), outputs


def flattened(function: Any, specs: Any = None) -> tuple[FuncGraph, list[str]]:
    """A function as a graph from a list of tensors to a list of tensors, and the names of its outputs."""
    concrete = concrete_of(function, specs)
    arguments = concrete.graph.arguments
    names = [t.op.name for t in arguments]
    structured = concrete.structured_outputs

    def body(*tensors: Any) -> Any:
        return tf.nest.flatten(
            concrete(*tensors) if not concrete.structured_input_signature[1] else concrete(**dict(zip(names, tensors)))
        )

    outer = trace_to_graph(
        body, concrete.graph.name, tuple(tf.TensorSpec(t.shape, t.dtype, n) for t, n in zip(arguments, names)),
        names=names,
    )
    keys = list(structured) if isinstance(structured, Mapping) else None
    outputs = sorted(keys) if keys else [f"output_{i}" for i in range(len(outer.outputs))]
    return outer, outputs


def concrete_of(function: Any, specs: Any) -> Any:
    if hasattr(function, "graph") and hasattr(function, "captured_inputs"):
        return function
    if specs is None and hasattr(function, "inputs") and hasattr(function, "call"):
        specs = [tf.TensorSpec(t.shape, t.dtype, t.name) for t in function.inputs]
    if not hasattr(function, "get_concrete_function"):
        model = function
        function = tf.function(lambda *args, **kwargs: model(*args, **kwargs))
    if specs is None:
        return function.get_concrete_function()
    return (
        function.get_concrete_function(**specs) if isinstance(specs, Mapping)
        else function.get_concrete_function(*specs)
    )
