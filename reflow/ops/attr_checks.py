"""Checks attributes against the OpDef: allowed types and values, minimum numbers, minimum list lengths.

Code that builds a call from outside attributes checks them here, once: `tf.raw_ops`, graph import, every new node.
Public functions choose the attributes of their ops themselves, so their eager calls skip these checks.

TensorFlow reads most integers into 32 bits and rejects larger ones; `NARROW` lists those, as found by probing its
kernels.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from reflow.core import dtypes, errors
from reflow.core.shapes import dims_of
from reflow.ops.from_python import short_name
from reflow.ops.opdef import Attr, OpDef
from reflow.ops.registry import MAX_OUTPUTS
from reflow.ops.shape_facts import text

#: 32-bit attributes
# fmt: off
NARROW = frozenset(
    {
        "axis", "batch_dim", "batch_dims", "beam_width", "begin_mask", "blank_index", "block_size", "channels",
        "compression", "concat_dim", "desired_channels", "desired_samples", "dilations", "ellipsis_mask", "end_mask",
        "input_quantization_axis", "ksize", "ksizes", "lhs_quantization_axis", "max_attempts",
        "max_intra_op_parallelism", "maxsplit", "new_axis_mask", "ngram_widths", "num_bits", "num_sampled",
        "num_threads", "num_true", "output_quantization_axis", "pad_width", "precision", "quality",
        "quantization_axis", "rates", "ratio", "replacement_char", "rhs_quantization_axis", "seq_dim",
        "shrink_axis_mask", "strides", "summarize", "width", "x_density", "y_density",
    }
)
# fmt: on


def check_call(op: OpDef, attrs: dict[str, Any]) -> None:
    """Reject a call whose attributes the OpDef does not allow, with the error of an op that runs eagerly."""
    found = _first_fault(op, attrs)
    if found is not None:
        attr, fault, value = found
        raise errors.InvalidArgumentError(None, None, f"{_CALL[fault](attr, value)} [Op:{op.name}] name: ")
    for arg in op.outputs:
        count = attrs.get(arg.number_attr, 0) if arg.number_attr else 0
        if count > MAX_OUTPUTS:
            raise errors.InvalidArgumentError(
                None, None, f"Number of outputs is too big: {count} [Op:{op.name}] name: "
            )


def _is_message(text: str) -> bool:
    """Whether a string is a protobuf message of any kind."""
    from google.protobuf.empty_pb2 import Empty  # imported here: programs without datasets do not need protobuf
    from google.protobuf.message import DecodeError

    try:
        Empty().ParseFromString(text.encode(errors="surrogateescape"))
    except DecodeError:
        return False
    return True


def check_node(op: OpDef, attrs: dict[str, Any]) -> None:
    """Reject a node whose attributes the OpDef does not allow, with the error of graph construction."""
    found = _first_fault(op, attrs)
    if found is not None:
        attr, fault, value = found
        kind, text = _NODE[fault](op, attr, value)
        raise kind(text)


@functools.cache
def _constrained(op: OpDef) -> tuple[tuple[Attr, Callable[[Attr, Any], tuple | None]], ...]:
    """The constrained attributes of an op, each with a function that finds violations."""
    found = []
    for attr in op.attrs.values():
        kind = attr.type
        if (
            (kind in ("int", "list(int)") and attr.name in NARROW)
            or attr.allowed is not None
            or attr.minimum is not None
            or kind in ("shape", "list(shape)")
            or attr.name == "metadata"  # of datasets
        ):
            found.append((attr, _list_fault if attr.is_list else _fault))
    return tuple(found)


def _first_fault(op: OpDef, attrs: dict[str, Any]) -> tuple[Attr, str, Any] | None:
    for attr, find in _constrained(op):
        value = attrs.get(attr.name)
        if value is not None:
            fault = find(attr, value)
            if fault is not None:
                return attr, *fault
    return None


def _fault(attr: Attr, value: Any) -> tuple[str, Any] | None:
    if attr.allowed is not None and getattr(value, "proto_name", value) not in attr.allowed:
        return ("type" if isinstance(value, dtypes.DType) else "word"), value
    if isinstance(value, int) and not isinstance(value, bool):
        if attr.minimum is not None and value < attr.minimum:
            return "minimum", value
        if attr.name in NARROW and not -(2**31) <= value < 2**31:
            return "wide", value
    if attr.name == "metadata" and value and not _is_message(value):
        return "message", value
    if attr.type == "shape" and _is_endless(value):
        return "endless", value
    return None


def _is_endless(shape: Any) -> bool:
    """Whether a shape has more elements than 63 bits can count."""
    dims = dims_of(shape)
    return dims is not None and None not in dims and math.prod(d or 0 for d in dims) >= 2**63


def _list_fault(attr: Attr, value: Any) -> tuple[str, Any] | None:
    if attr.minimum is not None and len(value) < attr.minimum:
        return "length", len(value)
    for item in value:
        if attr.type == "list(shape)" and _is_endless(item):
            return "endless", item
        if attr.allowed is not None and getattr(item, "proto_name", item) not in attr.allowed:
            return ("type" if isinstance(item, dtypes.DType) else "word"), item
        if attr.name in NARROW and not -(2**31) <= item < 2**31:
            return "wide", item
    return None


def _too_few(op: OpDef, attr: Attr, value: int) -> str:
    for arg in op.inputs:
        if arg.number_attr == attr.name:
            least = f"shorter than minimum length {attr.minimum}"
            return f"List argument '{arg.name}' to '{op.name}' Op with length {value} {least}."
    return f"Attr '{attr.name}' of '{op.name}' Op passed {value} less than minimum {attr.minimum}."


def _parameter(op: OpDef, attr: Attr) -> str:
    """The parameter that a list of dtypes belongs to: the input that has them, if there is one."""
    return next((arg.name for arg in op.inputs if arg.type_list_attr == attr.name), attr.name)


def _words(attr: Attr) -> str:
    return ", ".join(f'"{a}"' for a in attr.allowed or ())


def _types(attr: Attr, name: Callable[[dtypes.DType], str]) -> str:
    return ", ".join(name(dtypes.as_dtype(a)) for a in attr.allowed or ())


def _endless(shape: Any) -> str:
    return f"Shape {text(dims_of(shape))} is too large (more than 2**63 - 1 entries)"


_NO_MESSAGE = "Could not parse the 'metadata' attribute."
_CALL: dict[str, Callable[[Attr, Any], str]] = {
    "type": lambda a, v: (
        f"Value for attr '{a.name}' of {short_name(v)} is not in the list of allowed values: {_types(a, short_name)}"
    ),
    "word": lambda a, v: f"Value for attr '{a.name}' of \"{v}\" is not in the list of allowed values: {_words(a)}",
    "minimum": lambda a, v: f"Value for attr '{a.name}' of {v} must be at least minimum {a.minimum}",
    "length": lambda a, v: f"Length for attr '{a.name}' of {v} must be at least minimum {a.minimum}",
    "wide": lambda a, v: f"Attr {a.name} has value {v} out of range for an int32",
    "message": lambda a, v: _NO_MESSAGE,
    "endless": lambda a, v: _endless(v),
}
_NODE: dict[str, Callable[[OpDef, Attr, Any], tuple[Callable[[str], Exception], str]]] = {
    "type": lambda op, a, v: (
        TypeError,
        f"Value passed to parameter '{_parameter(op, a)}' has DataType {v.name} not in list of allowed values: "
        f"{_types(a, lambda d: d.name)}",
    ),
    "word": lambda op, a, v: (
        ValueError,
        f"Attr '{a.name}' of '{op.name}' Op passed string '{v}' not in: {_words(a)}.",
    ),
    "minimum": lambda op, a, v: (ValueError, _too_few(op, a, v)),
    "length": lambda op, a, v: (
        ValueError,
        f"Attr '{a.name}' of '{op.name}' Op passed list of length {v} less than minimum {a.minimum}.",
    ),
    "wide": lambda op, a, v: (ValueError, f"Attr {a.name} has value {v} out of range for an int32"),
    "endless": lambda op, a, v: (ValueError, _endless(v)),
    "message": lambda op, a, v: (functools.partial(errors.InvalidArgumentError, None, None), _NO_MESSAGE),
}
