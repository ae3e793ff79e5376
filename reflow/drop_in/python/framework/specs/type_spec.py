"""`tensorflow.python.framework.type_spec`: specs of values that datasets stack and `tf.map_fn` takes apart,
and other parts of specs."""

import abc
import warnings

from reflow.api.framework.internal import lookup_type_spec as lookup  # noqa: F401
from reflow.api.framework.internal import register_type_spec as register  # noqa: F401
from reflow.api.framework.internal import type_spec_name as get_name  # noqa: F401
from reflow.core import nest
from reflow.core.shallow_nest import flatten_up_to
from reflow.core.specs import TensorSpec, TypeSpec


class TypeSpecBatchEncoder(abc.ABC):
    """How values of a spec are encoded as tensors to be stacked. Subclasses write all five methods."""

    @abc.abstractmethod
    def batch(self, spec, batch_size):
        """The spec of `batch_size` values; None for an unknown number."""

    @abc.abstractmethod
    def unbatch(self, spec):
        """The spec of one row of a batch."""

    @abc.abstractmethod
    def encode(self, spec, value, minimum_rank=0):
        """The tensors of a value."""

    @abc.abstractmethod
    def decode(self, spec, encoded_value):
        """The value made of such tensors."""

    @abc.abstractmethod
    def encoding_specs(self, spec):
        """The specs of what `encode` gives."""


class BatchableTypeSpec(TypeSpec):
    """The base of specs with `_batch(size)`, the spec of a stack of values, and `_unbatch()`, that of a row."""

    __slots__ = ()


def register_type_spec_from_value_converter(type_object, converter_fn, allow_subclass=False):
    """Let `tf.type_spec_from_value` call `converter_fn` for values of a class, and of subclasses if allowed."""
    from reflow.core.specs import register_spec_maker

    def make(value):
        fits = isinstance(value, type_object) if allow_subclass else type(value) is type_object
        return converter_fn(value) if fits else None

    register_spec_maker(make)


class LegacyTypeSpecBatchEncoder(TypeSpecBatchEncoder):
    """Encodes values as their specs say by themselves."""

    def batch(self, spec, batch_size):
        return spec._batch(batch_size)

    def unbatch(self, spec):
        return spec._unbatch()

    def encode(self, spec, value, minimum_rank=0):
        if minimum_rank > 1 or (minimum_rank == 1 and not isinstance(spec, BatchableTypeSpec)):
            raise ValueError(f"{type(spec).__name__}.encode does not support minimum_rank>{minimum_rank - 1}.")
        return spec._to_batched_tensor_list(value) if minimum_rank else spec._to_tensor_list(value)

    def decode(self, spec, encoded_value):
        return spec._from_tensor_list(encoded_value)

    def encoding_specs(self, spec):
        return spec._flat_tensor_specs


def _encoder_of(spec):
    """The encoder of a spec, which extension types keep in the class of their values; None if it cannot be batched."""
    own = (
        getattr(spec, "__batch_encoder__", None)
        or getattr(getattr(spec, "value_type", None), "__batch_encoder__", None)
    )
    return own or (LegacyTypeSpecBatchEncoder() if hasattr(spec, "_batch") else None)


def get_batchable_flat_tensor_specs(spec, context_spec=None) -> list:
    """The specs of the tensors that values of a spec are encoded as."""
    if isinstance(spec, TensorSpec):
        return [spec]
    encoder = _encoder_of(spec)
    if encoder is None:
        warnings.warn(
            f"Batchable type {context_spec} contains non-batchable field or component with type {spec}.", stacklevel=2
        )
        return spec._flat_tensor_specs
    inner = nest.flatten(encoder.encoding_specs(spec))
    return [flat for part in inner for flat in get_batchable_flat_tensor_specs(part, context_spec)]


def batchable_to_tensor_list(spec, value, minimum_rank=0) -> list:
    """The tensors that a value is encoded as."""
    if isinstance(spec, TensorSpec):
        return [value]
    encoder = _encoder_of(spec)
    if encoder is None:
        return spec._to_tensor_list(value)
    specs = encoder.encoding_specs(spec)
    parts = flatten_up_to(specs, encoder.encode(spec, value, minimum_rank))
    pairs = zip(nest.flatten(specs), parts, strict=True)
    return [tensor for inner, part in pairs for tensor in batchable_to_tensor_list(inner, part, minimum_rank)]


def batchable_from_tensor_list(spec, tensor_list):
    """The value that was encoded as these tensors."""
    if isinstance(spec, TensorSpec):
        (tensor,) = tensor_list
        return tensor
    encoder = _encoder_of(spec)
    if encoder is None:
        return spec._from_compatible_tensor_list(tensor_list)
    specs, left, parts = encoder.encoding_specs(spec), list(tensor_list), []
    for inner in nest.flatten(specs):
        count = len(get_batchable_flat_tensor_specs(inner))
        parts.append(batchable_from_tensor_list(inner, left[:count]))
        left = left[count:]
    return encoder.decode(spec, nest.pack_sequence_as(specs, parts))
