"""Composite tensors as one variant: their components, and a message that describes their type.

The message is a `CompositeTensorVariantMetadata`: its only field, number 1, is the `TypeSpecProto` of the type.
"""

from __future__ import annotations

from typing import Any

from reflow.core import dtypes, errors
from reflow.core.tensor import HostObject
from reflow.ops import shape_rules as rules
from reflow.ops.dispatch import run
from reflow.ops.registry import op


class CompositeVariant(HostObject):
    """The value of such a variant."""

    __slots__ = ("metadata", "components")

    def __init__(self, metadata: str, components: list) -> None:
        self.metadata, self.components = metadata, components


def _invalid(text: str) -> errors.OpError:
    return errors.InvalidArgumentError(None, None, text)


def _kind(metadata: str) -> str:
    """The kind of type that a message describes; "" if it says nothing."""
    from tensorboard.compat.proto.struct_pb2 import TypeSpecProto

    data = metadata.encode(errors="surrogateescape")
    if not data:
        return ""
    size = next(i for i, byte in enumerate(data[1:], 1) if byte < 128)  # its last byte, a number of seven bits in each
    return TypeSpecProto.TypeSpecClass.Name(TypeSpecProto.FromString(data[size + 1 :]).type_spec_class)


def _dtype_of(component: Any) -> dtypes.DType:
    return component.tensor_dtype if isinstance(component, HostObject) else dtypes.as_dtype(component.dtype)


def _grad_of_variant(attrs, inputs, outputs, cts, wanted):
    """The gradient of a variant is one of the gradients of its components."""
    types = [t.dtype for t in inputs]
    return list(run("CompositeTensorVariantToComponents", cts[0], metadata=attrs["metadata"], Tcomponents=types))


def _grad_of_components(attrs, inputs, outputs, cts, wanted):
    filled = [run("ZerosLike", t) if ct is None else ct for t, ct in zip(outputs, cts)]
    return [run("CompositeTensorVariantFromComponents", *filled, metadata=attrs["metadata"])]


@op(
    "CompositeTensorVariantFromComponents", shape=rules.scalar, grad_tensors=_grad_of_variant, host=True, stores=True
)  # fmt: skip
def from_components(_, components, metadata):
    return CompositeVariant(metadata, list(components))


@op(
    "CompositeTensorVariantToComponents", shape=lambda f: [None] * len(f.attrs["Tcomponents"]),
    grad_tensors=_grad_of_components, host=True,
)  # fmt: skip
def to_components(_, encoded, metadata, Tcomponents):
    if not isinstance(encoded, HostObject) and not encoded.size:
        sizes = ",".join(map(str, encoded.shape))
        raise _invalid(
            "Input `encoded` must not be an empty variant tensor, but got Tensor<type: variant "
            f"shape: [{sizes}] values: >"
        )
    value = encoded if isinstance(encoded, HostObject) else encoded.item()
    if not isinstance(value, CompositeVariant):
        raise _invalid(
            "The input `encoded` is not a valid CompositeTensorVariant tensor, got Tensor<type: variant shape: []>"
        )
    if _kind(metadata) != _kind(value.metadata):
        raise _invalid(
            f"Expected a {_kind(metadata)} (based on `type_spec`), but `encoded` contains a {_kind(value.metadata)}"
        )
    if len(value.components) != len(Tcomponents):
        raise _invalid(
            f"Encoded value has {len(value.components)} tensor components; expected {len(Tcomponents)} "
            "components based on type_spec"
        )
    for i, (component, wanted) in enumerate(zip(value.components, Tcomponents)):
        if _dtype_of(component) != wanted:
            got = _dtype_of(component).proto_name
            raise _invalid(f"Tensor component {i} had dtype {got}; expected dtype {wanted.proto_name}")
    return tuple(value.components)
