"""An ONNX model as a function graph."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import reflow as tf
from reflow.core.tensor import EagerTensor
from reflow.function.tracing import trace_to_graph
from reflow.graph.func_graph import FuncGraph
from reflow.onnx.node import NeedsValue, OnnxError
from reflow.onnx.package import onnx
from reflow.onnx.reader import Reader, input_spec


def load(
    model: Any, input_shapes: Mapping[str, Sequence[int | None]] | None = None, folder: str | None = None
) -> OnnxModel:
    """Read an ONNX model into a function of Reflow's ops.

    Operators of the operator sets 7 to 27 are known. What a model's shapes leave open stays open; a call fixes it.

    Args:
      model: a path, the bytes of a file, or an `onnx.ModelProto`.
      input_shapes: lengths of inputs, by name, in place of those in the file; `None` leaves one open.
      folder: where files with external data are, if `model` is not a path.

    Returns:
      An `OnnxModel`.

    Raises:
      OnnxError: the model is wrong, or (`UnknownOperators`) has operators that cannot be converted.
      MissingPackage: the package `onnx` is not installed.

    >>> import onnx
    >>> x, y = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, ["n", 2]) for n in "xy"]
    >>> node = onnx.helper.make_node("Relu", ["x"], ["y"])
    >>> proto = onnx.helper.make_model(onnx.helper.make_graph([node], "g", [x], [y]))
    >>> tf.onnx.load(proto)(tf.constant([[-1.0, 2.0]])).numpy()
    array([[0., 2.]], dtype=float32)
    """
    proto, found = read_proto(model)
    return OnnxModel(proto, folder or found, input_shapes)


def read_proto(model: Any) -> tuple[Any, str | None]:
    """The ModelProto of a path, bytes or a ModelProto, and the folder of its external data."""
    if isinstance(model, onnx().ModelProto):
        return model, None
    if isinstance(model, (bytes, bytearray, memoryview)):
        return _parse(bytes(model), "these bytes"), None
    path = os.fspath(model)
    with open(path, "rb") as file:
        return _parse(file.read(), repr(path)), os.path.dirname(os.path.abspath(path))


def _parse(data: bytes, where: str) -> Any:
    from google.protobuf.message import DecodeError

    try:
        proto = onnx().ModelProto.FromString(data)
    except DecodeError as error:
        raise OnnxError(f"{where} of {len(data)} bytes is no ONNX model: {error}") from error
    if not proto.opset_import or not proto.HasField("graph"):
        raise OnnxError(f"{where} of {len(data)} bytes is no ONNX model: it has no graph or names no operator set.")
    return proto


SMALL = 64  # elements of an input whose value may become part of a trace
MAX_TRACES = 16  # for calls that differ in shapes or in such values


class OnnxModel:
    """An ONNX model: call it with tensors, by position or by the inputs' names.

    `input_names` and `output_names` are the model's, `specs` the inputs' dtypes and shapes. `graph` is the function
    graph that serves all calls. Some models need a length or a value to be read at all (`Pad` by an input, say): they
    have no such graph, and each call makes or finds one for its shapes and for the values of its small inputs.
    """

    def __init__(
        self, proto: Any, folder: str | None = None, input_shapes: Mapping[str, Sequence[int | None]] | None = None,
        around: Callable[[Any, Callable[[], Any]], Any] | None = None,
    ) -> None:
        self._proto, self._reader = proto, Reader(proto, folder, around)
        self._reader.check()
        weights = {t.name for t in proto.graph.initializer}
        self.specs = {i.name: input_spec(i) for i in proto.graph.input if i.name not in weights}
        for name, shape in (input_shapes or {}).items():
            if name not in self.specs:
                raise OnnxError(f"The model has no input {name!r}; it has {', '.join(map(repr, self.specs))}.")
            old = self.specs[name]
            if old is None:
                raise OnnxError(f"The input {name!r} is no tensor: it has no shape.")
            self.specs[name] = tf.TensorSpec(shape, old.dtype, name)
        self.input_names = list(self.specs)
        self.output_names = [o.name for o in proto.graph.output]
        self._traces: OrderedDict[Any, FuncGraph] = OrderedDict()
        try:
            self._graph: FuncGraph | None = self._trace(list(self.specs.values()), {})
        except NeedsValue as error:
            self._graph, self._reason = None, error

    @property
    def graph(self) -> FuncGraph:
        """The graph that serves all calls.

        Raises:
          NeedsValue: there is none: the text says which node needs what.
        """
        if self._graph is None:
            raise self._reason
        return self._graph

    def _trace(self, specs: list[Any], values: dict[str, Any]) -> FuncGraph:
        """A graph for inputs like `specs`, in which `values` are inputs whose values are known."""
        names = [n for n in self.input_names if n not in values]

        def body(*tensors: Any) -> list[Any]:
            given = dict(zip(names, tensors, strict=True))
            return self._reader.read(self._proto.graph, {**values, **given})

        free = tuple(s for n, s in zip(self.input_names, specs, strict=True) if n not in values)
        if any(spec is None for spec in free):
            raise NeedsValue("An input is a sequence or an optional value: a call says how many tensors it has.")
        return trace_to_graph(body, self._proto.graph.name or "onnx_model", free, names=names)

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """The outputs: a tensor if there is one, otherwise a list."""
        results = self.run(self._arguments(inputs, named))
        return results[0] if len(results) == 1 else results

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        """Run on one value for each input; a list of tensors (of lists of tensors, for sequences)."""
        given = [self._converted(name, value) for name, value in zip(self.input_names, inputs, strict=True)]
        graph, tensors = (self._graph, given) if self._graph is not None else self._graph_for(given)
        captured = [t._value for t in graph.external_captures]
        values = graph.run([*[t._value for t in tensors], *captured])
        flat = [EagerTensor(v, t.dtype) for v, t in zip(values, graph.outputs, strict=True)]
        return tf.nest.pack_sequence_as(graph.structured_outputs, flat)

    def _graph_for(self, given: list[Any]) -> tuple[FuncGraph, list[Any]]:
        """The graph for a call's shapes and small values, and the arguments that it takes."""
        known = {n: v for n, v in zip(self.input_names, given, strict=True) if _joins_trace(v)}
        shapes = [None if n in known else v.shape for n, v in zip(self.input_names, given, strict=True)]
        key = (tuple(map(str, shapes)), tuple((n, _key(v)) for n, v in known.items()))
        graph = self._traces.get(key)
        if graph is None:
            specs = [
                None if n in known else tf.TensorSpec(v.shape, v.dtype, n)
                for n, v in zip(self.input_names, given, strict=True)
            ]
            graph = self._traces[key] = self._trace(specs, known)
            if len(self._traces) > MAX_TRACES:
                self._traces.popitem(last=False)
        return graph, [v for n, v in zip(self.input_names, given, strict=True) if n not in known]

    def _converted(self, name: str, value: Any) -> Any:
        spec = self.specs[name]
        if spec is None:
            return value if value is None else tf.nest.map_structure(tf.convert_to_tensor, value)
        tensor = tf.convert_to_tensor(value)
        if tensor.dtype != spec.dtype:
            raise TypeError(f"The input {name!r} has the dtype {spec.dtype.name}; received {tensor.dtype.name}.")
        if not spec.shape.is_compatible_with(tensor.shape):
            raise ValueError(f"The input {name!r} has the shape {spec.shape}; received {tensor.shape}.")
        return tensor

    def _arguments(self, inputs: Sequence[Any], named: dict[str, Any]) -> list[Any]:
        given = dict(zip(self.input_names, inputs, strict=False))
        wrong = [n for n in named if n not in self.specs or n in given]
        missing = [n for n in self.input_names if n not in given and n not in named]
        if len(inputs) > len(self.input_names) or wrong or missing:
            raise TypeError(
                f"The model takes the inputs {', '.join(self.input_names)}; received {len(inputs)} by position and "
                f"{', '.join(named) or 'none'} by name."
            )
        return [{**given, **named}[n] for n in self.input_names]


def _joins_trace(value: Any) -> bool:
    """Whether an input may be a shape, an axis, a scale: small, and not an image; or anything that is not a tensor."""
    if not isinstance(value, tf.Tensor):
        return True
    return (value.shape.num_elements() or 0) <= SMALL and (not value.dtype.is_floating or len(value.shape) < 2)


def _key(value: Any) -> Any:
    if isinstance(value, tf.Tensor):
        return (
            value.dtype.name, tuple(value.shape),
            value.numpy().tobytes() if value.dtype != tf.string else tuple(value.numpy().ravel()),
        )
    return None if value is None else tuple(map(_key, value))
