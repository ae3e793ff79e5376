"""Nodes as text and as protos, in TensorFlow's form: for errors, `op.get_attr` and `op.op_def`."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from tensorboard.compat.proto import attr_value_pb2, op_def_pb2, types_pb2

from reflow.core import dtypes
from reflow.core.shapes import dims_of
from reflow.core.types import Proto
from reflow.graph import inference
from reflow.graph.node import Node
from reflow.graph.proto_values import encode_attr, encode_shape, encode_tensor
from reflow.ops.opdef import MISSING, Attr, OpDef
from reflow.ops.registry import decode_default


def public_value(kind: str | None, value: Any) -> Any:
    """An attribute as `op.get_attr` returns it: strings are bytes; shapes, tensors and functions are protos.

    >>> public_value("string", "SAME")
    b'SAME'
    """
    if kind is None:
        return value.encode() if isinstance(value, str) else value
    if kind.startswith("list("):
        return [public_value(kind[5:-1], v) for v in value]
    if kind == "string":
        return value.encode() if isinstance(value, str) else value
    if kind == "shape":
        return encode_shape(dims_of(value))
    if kind == "tensor":
        return encode_tensor(value)
    if kind == "func":
        return attr_value_pb2.NameAttrList(name=value.name)
    return value


@functools.cache  # bounded: one entry per op
def op_def(definition: OpDef) -> Proto:
    """TensorFlow's OpDef proto of an op.

    >>> from reflow.ops import opdef
    >>> [a.name for a in op_def(opdef.lookup("AddV2")).input_arg]
    ['x', 'y']
    """
    proto = op_def_pb2.OpDef(name=definition.name, is_stateful=definition.stateful)
    for args, into in ((definition.inputs, proto.input_arg), (definition.outputs, proto.output_arg)):
        for arg in args:
            new = into.add(name=arg.name, is_ref=arg.is_ref)
            if arg.type:
                new.type = getattr(types_pb2, arg.type)
            for field in ("type_attr", "number_attr", "type_list_attr"):
                if getattr(arg, field):
                    setattr(new, field, getattr(arg, field))
    for attr in definition.attrs.values():
        _add_attr(proto, attr)
    return proto


def _add_attr(proto: Proto, attr: Attr) -> None:
    new = proto.attr.add(name=attr.name, type=attr.type)
    if attr.minimum is not None:
        new.has_minimum, new.minimum = True, attr.minimum
    if attr.allowed is not None:
        kind = attr.type.removeprefix("list(").removesuffix(")")
        allowed = [dtypes.as_dtype(a) for a in attr.allowed] if kind == "type" else attr.allowed
        new.allowed_values.CopyFrom(encode_attr(f"list({kind})", allowed, None))
    if attr.default is not MISSING and attr.type not in ("func", "tensor"):
        default = decode_default(attr)
        if default is not None or attr.type == "shape":
            new.default_value.CopyFrom(encode_attr(attr.type, default, None))


# --- words


def summary(node: Node) -> str:
    """A node in one line: `{{node MatMul}} = MatMul[T=DT_FLOAT, …](x, y)`."""
    full = inference.full_attrs(node)
    attrs = [
        f"{name}={_attr_text(attr.type, full.get(name))}"
        for name, attr in sorted(node.record.definition.attrs.items())
        if full.get(name) is not None or attr.type == "shape"
    ]
    inputs = [t.op.name if t.value_index == 0 else t.name for t in node.inputs]
    written = f"[{', '.join(attrs)}]" if attrs else ""
    return f"{{{{node {node.name}}}}} = {node.type}{written}({', '.join(inputs)})"


def _attr_text(kind: str, value: Any) -> str:
    if kind.startswith("list("):
        return f"[{', '.join(_attr_text(kind[5:-1], v) for v in value)}]"
    if kind == "type":
        return dtypes.as_dtype(value).proto_name
    if kind == "bool":
        return "true" if value else "false"
    if kind == "string":
        return f'"{value if isinstance(value, str) else bytes(value).decode(errors="replace")}"'
    if kind == "shape":
        return inference.text(dims_of(value))
    if kind == "tensor":
        array = np.asarray(value)
        dims = inference.text(array.shape)
        return f"Tensor<type: {array.dtype.name} shape: {dims} values: {' '.join(map(str, array.reshape(-1)[:3]))}>"
    if kind == "func":
        return f"{value.name}[]"
    if kind == "float":
        short = f"{value:.6g}"
        return short if np.float32(short) == np.float32(value) else f"{value:.9g}"
    return str(value)
