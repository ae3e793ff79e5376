"""Composite tensors as one variant: their components, and a text that describes their type."""

from __future__ import annotations

from reflow.core import errors
from reflow.core.tensor import HostObject
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op


class CompositeVariant(HostObject):
    """The value of such a variant."""

    __slots__ = ("metadata", "components")

    def __init__(self, metadata: str, components: list) -> None:
        self.metadata, self.components = metadata, components


@op("CompositeTensorVariantFromComponents", shape=rules.scalar, grad=NO_GRADIENT, host=True, stores=True)
def from_components(_, components, metadata):
    return CompositeVariant(metadata, list(components))


@op(
    "CompositeTensorVariantToComponents", shape=lambda f: [None] * len(f.attrs["Tcomponents"]), grad=NO_GRADIENT, host=True
)
def to_components(_, encoded, metadata, Tcomponents):
    if not isinstance(encoded, CompositeVariant):
        raise errors.InvalidArgumentError(None, None, "The input is not a CompositeTensorVariant.")
    if len(encoded.components) != len(Tcomponents):
        raise errors.InvalidArgumentError(
            None, None, f"Encoded value has {len(encoded.components)} components; expected {len(Tcomponents)} components based on type_spec"
        )
    return tuple(encoded.components)
