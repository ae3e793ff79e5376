"""`tf.onnx.export`: a function or a Keras model as an ONNX file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import reflow as tf
from reflow.core.version import REFLOW
from reflow.engine.from_function import flattened
from reflow.onnx.node import OnnxError
from reflow.onnx.package import onnx
from reflow.onnx.writer import Model, Scope, UnexportableOps, Value, of_tensor

OPSET = 18  # the first in which all reductions take their axes as an input
IR_VERSION = 8  # the file format of the time of that operator set: older runtimes read no newer one
LARGEST_FILE = (1 << 31) - (1 << 20)  # bytes: a protobuf message cannot be larger than 2 GiB


def export(
    function: Any, path: Any = None, specs: Sequence[Any] | Mapping[str, Any] | None = None,
    signature: str | None = None,
) -> Any:
    """Write a function or a model as an ONNX model of operator set 18.

    Variables become weights, with the values that they have now. Lengths that the specs leave open (`None`) are dynamic
    axes. A model of more than 2 GiB keeps its weights in a separate file (`<path>.data`).

    Args:
      function: a Keras model, a `tf.function`, a concrete function, any callable of tensors, a loaded SavedModel, or a
        SavedModel's folder.
      path: the file to write; `None` writes none.
      specs: `tf.TensorSpec`s of the arguments, in order or by name; a concrete function, a Keras model and a signature
        know theirs.
      signature: which signature of a SavedModel, `"serving_default"` by default.

    Returns:
      The `onnx.ModelProto`.

    Raises:
      OnnxError: `UnexportableOps` if there are ops that ONNX has no form of: it names all of them, with their nodes.
      MissingPackage: the package `onnx` is not installed.

    >>> proto = tf.onnx.export(tf.function(lambda x: tf.nn.relu(x) + 1.0), specs=[tf.TensorSpec([None, 2], name="x")])
    >>> tf.onnx.load(proto)(tf.constant([[-1.0, 2.0]])).numpy()
    array([[1., 3.]], dtype=float32)
    """
    graph, outputs = flattened(_callable_of(function, signature), specs)
    proto = _model_of(graph, outputs)
    if path is not None:
        _write(proto, os.fspath(path))
    return proto


def _callable_of(function: Any, signature: str | None) -> Any:
    """The function to write: a signature of a SavedModel, otherwise what was given."""
    if isinstance(function, (str, os.PathLike)):
        function = tf.saved_model.load(os.fspath(function))
    signatures = getattr(function, "signatures", None)
    if signatures is None or not isinstance(signatures, Mapping):
        if signature is not None:
            raise ValueError(
                f"`signature` chooses one of a SavedModel's; received {signature!r} with a {type(function).__name__}."
            )
        return function
    if signature is None and callable(function) and not signatures:
        return function
    wanted = signature or "serving_default"
    if wanted not in signatures:
        raise ValueError(f"The model has no signature {wanted!r}; it has {', '.join(map(repr, signatures)) or 'none'}.")
    return signatures[wanted]


def _model_of(graph: Any, outputs: list[str]) -> Any:
    model = Model()
    scope = Scope(model)
    inputs = [Value(t._dtype, t._dims, model.fresh(t.op.name)) for t in graph.arguments]
    for value in inputs:
        if value.dtype.kind == "o" and value.dtype != tf.string:
            raise OnnxError(f"The input {value.name!r} is a {value.dtype.name}; ONNX has only tensors.")
    results = scope.write(graph, [*inputs, *map(of_tensor, graph.external_captures)])
    if model.unexportable:
        raise UnexportableOps(model.unexportable)
    named = [_renamed(scope, value, name) for value, name in zip(results, outputs, strict=True)]
    proto = scope.proto(graph.name, inputs, named, model.weights)
    helper = onnx().helper
    return helper.make_model(proto, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION,
                             producer_name="reflow", producer_version=REFLOW)  # fmt: skip


def _renamed(scope: Scope, value: Value, wanted: str) -> Value:
    """An output under the name that the function gives it."""
    made = scope.op("Identity", value, dims=value.dims)
    node = scope.nodes[-1]
    node.output[0] = scope.model.fresh(wanted)
    scope._made[node.output[0]] = scope._made.pop(made.name)
    return Value(value.dtype, value.dims, node.output[0])


def _write(proto: Any, path: str) -> None:
    large = sum(len(w.raw_data) for w in proto.graph.initializer) > LARGEST_FILE
    beside = {"save_as_external_data": True, "location": os.path.basename(path) + ".data"} if large else {}
    onnx().save_model(proto, path, **beside)
