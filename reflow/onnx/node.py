"""An ONNX node as conversions see it: attributes as Python values, the operator set's version, callable subgraphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import reflow as tf
from reflow.core.dtypes import DType
from reflow.onnx.package import onnx
from reflow.onnx.values import dtype_of, tensor_of


class OnnxError(ValueError):
    """A model that is wrong, or that Reflow cannot run; the text names the node."""


class NeedsValue(OnnxError):
    """A conversion needs a value, or a length, that only a call of the model knows."""


class Node:
    """An ONNX node: `op_type`, `name`, the attributes, and the number of requested outputs.

    `opset` is the version of the node's operator set. `subgraph(name)` gives a graph among the attributes as a function
    of tensors.
    """

    def __init__(
        self, proto: Any, opset: int, subgraph: Callable[[Any], Callable[..., list]], folder: str | None = None
    ) -> None:
        self.op_type: str = proto.op_type
        self.name: str = proto.name or (proto.output[0] if proto.output else proto.op_type)
        self.opset = opset
        self.outputs: list[str] = list(proto.output)
        self._attributes = {a.name: a for a in proto.attribute}
        self._subgraph, self._folder = subgraph, folder

    def __contains__(self, attribute: str) -> bool:
        return attribute in self._attributes

    def get(self, attribute: str, default: Any = None) -> Any:
        """An attribute's value: a number, a text, a list of them, or a tensor."""
        proto = self._attributes.get(attribute)
        if proto is None:
            return default
        value = onnx().helper.get_attribute_value(proto)
        if isinstance(value, onnx().TensorProto):
            return tensor_of(value, self._folder)
        return _text(value) if not isinstance(value, (list, tuple)) else [_text(v) for v in value]

    def dtype(self, attribute: str, default: DType | None = None) -> DType:
        """An attribute that names a dtype."""
        number = self.get(attribute)
        if number is None and default is None:
            raise OnnxError(f"{self} has no attribute {attribute!r}.")
        return default if number is None else dtype_of(number)  # type: ignore[return-value]

    def body(self, attribute: str) -> Callable[..., list]:
        """A graph among the attributes, as a function from its inputs to the list of its outputs."""
        return self._subgraph(self._attributes[attribute].g)

    def body_inputs(self, attribute: str) -> int:
        return len(self._attributes[attribute].g.input)

    def axes(self, given: Any, attribute: str = "axes") -> list[int] | None:
        """Axes from an input (newer operator sets) or from the attribute (older ones); None without either."""
        if given is None:
            return self.get(attribute)
        return [int(a) for a in np.ravel(self.value(given, attribute))]

    def value(self, tensor: Any, what: str) -> np.ndarray:
        """The value of an input that has to be known when the model is read."""
        found = known(tensor)
        if found is None:
            raise NeedsValue(
                f"{self}: {what} must be known when the model is read; it is computed from the model's inputs."
            )
        return found

    def wants(self, output: int) -> bool:
        """Whether this output is requested."""
        return output < len(self.outputs) and self.outputs[output] != ""

    def __str__(self) -> str:
        return f"{self.op_type} (node {self.name!r})"


def _text(value: Any) -> Any:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def known(tensor: Any) -> np.ndarray | None:
    """The value of a tensor if it is known while the graph is built."""
    return tf.get_static_value(tensor)


def rank(tensor: Any) -> int:
    """The rank of a tensor, which ONNX' shape arithmetic needs."""
    found = tensor.shape.rank
    if found is None:
        raise NeedsValue(f"A tensor of unknown rank ({tensor}) cannot be used here.")
    return found


def dims(tensor: Any) -> Any:
    """The shape of a tensor: a list of numbers where all are known, otherwise a tensor of int64."""
    return tensor.shape.as_list() if tensor.shape.is_fully_defined() else tf.shape(tensor, tf.int64)


def dim(tensor: Any, axis: int) -> Any:
    """One length of a tensor: a number if it is known, otherwise a scalar of int64."""
    found = tensor.shape[axis]
    return tf.shape(tensor, tf.int64)[axis] if found is None else found


def joined(parts: Sequence[Any]) -> Any:
    """Lengths, known or not, as one shape."""
    if all(isinstance(p, (int, np.integer)) for p in parts):
        return [int(p) for p in parts]
    return tf.stack([tf.cast(p, tf.int64) for p in parts])


def positive(axis: int, of_rank: int) -> int:
    """An axis counted from the front."""
    return axis + of_rank if axis < 0 else axis


def scalar(value: Any, like: Any) -> Any:
    """A number with the dtype of a tensor."""
    return tf.constant(value, like.dtype)


def moved(tensor: Any, source: int, target: int) -> Any:
    """A tensor with one axis in another place."""
    order = list(range(rank(tensor)))
    order.insert(positive(target, len(order)), order.pop(positive(source, len(order))))
    return tf.transpose(tensor, order)


def channels_last(tensor: Any) -> Any:
    """[batch, channels, *space] as [batch, *space, channels]."""
    return tf.transpose(tensor, [0, *range(2, rank(tensor)), 1])


def channels_first(tensor: Any) -> Any:
    """[batch, *space, channels] as [batch, channels, *space]."""
    count = rank(tensor)
    return tf.transpose(tensor, [0, count - 1, *range(1, count - 1)])


def wide(convert: Callable[..., Any], *tensors: Any) -> Any:
    """`convert` in float32, for half precision in which ONNX asks for more digits than the dtype has.

    The result has the old dtype.
    """
    dtype = tensors[0].dtype
    if dtype not in (tf.float16, tf.bfloat16):
        return convert(*tensors)
    result = convert(*[t if t is None else tf.cast(t, tf.float32) for t in tensors])
    return tf.nest.map_structure(lambda t: tf.cast(t, dtype), result)
