"""`tensorflow.python.ops.composite_tensor_ops`: composite tensors as scalars of the dtype variant."""

from reflow.core import nest
from reflow.core.specs import type_spec_from_value
from reflow.core.tensor import is_tensor
from reflow.io.messages import define
from reflow.ops.dispatch import run
from reflow.saved_model import structures

_Metadata = define(
    "composite_tensor_variant.proto",
    [structures.struct_pb2],
    {"CompositeTensorVariantMetadata": [(1, ".tensorboard.TypeSpecProto", "type_spec_proto")]},
)["CompositeTensorVariantMetadata"]


def _metadata(type_spec) -> str:
    """The description of a type, as the text of an attribute."""
    message = _Metadata(type_spec_proto=structures.encode(type_spec).type_spec_value)
    return message.SerializeToString(deterministic=True).decode(errors="surrogateescape")


def composite_tensor_to_variants(value, type_spec=None, name=None):
    """The scalar variant that holds the components of a composite tensor."""
    if not getattr(value, "_is_composite", False):
        raise TypeError(f"Expected `value` to be a CompositeTensor. Received {type(value)}.")
    if type_spec is None:
        type_spec = type_spec_from_value(value)
    if not type_spec.is_compatible_with(value):
        raise ValueError(f"`type_spec` {type_spec} is not compatible with `value` {value!r}.")
    components = nest.flatten(value, expand_composites=True)
    return run("CompositeTensorVariantFromComponents", *components, metadata=_metadata(type_spec))


def composite_tensor_from_variant(encoded, type_spec, name=None):
    """The composite tensor of a type that a scalar variant holds."""
    if not is_tensor(encoded):
        raise TypeError(f"Expected `encoded` to be a Tensor, got {encoded!r}.")
    if encoded.dtype.name != "variant":
        raise TypeError(f"Expected `encoded` to have dtype=variant, got {encoded!r}.")
    encoded.shape.assert_is_compatible_with(())
    specs = nest.flatten(type_spec, expand_composites=True)
    types = [spec.dtype for spec in specs]
    parts = run("CompositeTensorVariantToComponents", encoded, metadata=_metadata(type_spec), Tcomponents=types)
    return nest.pack_sequence_as(type_spec, list(parts), expand_composites=True)
