"""`tf.experimental.BatchableExtensionType`: extension types that datasets and `tf.map_fn` can batch and unbatch.

A batch of values is one value of the same type whose tensors have an extra leading axis. The class's *batch encoder*
defines the spec of a batch, and how a value is encoded for batching.
"""

from __future__ import annotations

from typing import Any

from reflow.api.export import export
from reflow.api.framework.extension_type import ExtensionType, ExtensionTypeSpec
from reflow.core import nest
from reflow.core.shapes import TensorShape
from reflow.core.specs import TensorSpec, TypeSpec


@export("experimental.ExtensionTypeBatchEncoder")
class ExtensionTypeBatchEncoder:
    """How values of an extension type are batched: by default every field that is a tensor gets one more axis.

    A subclass may change `batch` and `unbatch`, which give the spec of a batch and of a row, and `encode`, `decode` and
    `encoding_specs`, which turn a value into tensors to be stacked. An object of it is the class's attribute
    `__batch_encoder__`.

    >>> class Pair(tf.experimental.BatchableExtensionType):
    ...     a: tf.Tensor
    >>> tf.experimental.ExtensionTypeBatchEncoder().batch(Pair.Spec(tf.TensorSpec([2])), 3).a.shape
    TensorShape([3, 2])
    """

    def batch(self, spec, batch_size):
        """The spec of `batch_size` values; None for an unknown number."""
        return spec._with_specs(lambda s: batched_spec(s, batch_size))

    def unbatch(self, spec):
        """The spec of one row of a batch."""
        return spec._with_specs(unbatched_spec)

    def encode(self, spec, value, minimum_rank=0):
        """The tensors of a value."""
        return spec._to_components(value)

    def decode(self, spec, encoded_value):
        """The value assembled from such tensors."""
        return spec._from_components(encoded_value)

    def encoding_specs(self, spec):
        """The specs of what `encode` gives."""
        return spec._component_specs


def encoder_of(spec) -> ExtensionTypeBatchEncoder | None:
    """The batch encoder of a spec if that, or one in its fields, encodes values in a way of its own; None otherwise."""
    encoder = getattr(getattr(spec, "value_type", None), "__batch_encoder__", None)
    kind: Any = type(encoder)
    base = ExtensionTypeBatchEncoder
    if encoder is None or kind.encode is not base.encode or kind.encoding_specs is not base.encoding_specs:
        return encoder
    return encoder if any(encoder_of(part) is not None for part in spec._component_specs) else None


def parts_of(spec, value) -> list:
    """What a batch of values of a spec is made of, for one value or for a batch."""
    encoder = getattr(spec.value_type, "__batch_encoder__", None)
    return spec.to_tensors(value) if encoder is None else nest.flatten(encoder.encode(spec, value))


def part_specs(spec) -> list:
    """The specs of these parts."""
    encoder = getattr(spec.value_type, "__batch_encoder__", None)
    return spec.flatten() if encoder is None else nest.flatten(encoder.encoding_specs(spec))


def of_parts(spec, parts):
    """The value that is made of such parts."""
    encoder = getattr(spec.value_type, "__batch_encoder__", None)
    if encoder is None:
        return spec.from_tensors(parts)
    return encoder.decode(spec, nest.pack_sequence_as(encoder.encoding_specs(spec), list(parts)))


def batched_spec(spec, size):
    """The spec of a batch of values."""
    if isinstance(spec, TensorSpec):
        return TensorSpec(TensorShape([size]).concatenate(spec.shape), spec.dtype)
    return spec._batch(size)


def unbatched_spec(spec):
    """The spec of one value of a batch."""
    if isinstance(spec, TensorSpec):
        if spec.shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return TensorSpec(None if spec.shape.rank is None else spec.shape[1:], spec.dtype)
    return spec._unbatch()


class BatchableExtensionTypeSpec(ExtensionTypeSpec):
    """The spec of a batchable extension type."""

    __slots__ = ()
    value_type: type[BatchableExtensionType]

    def _batch(self, batch_size):
        return self.value_type.__batch_encoder__.batch(self, batch_size)

    def _unbatch(self):
        return self.value_type.__batch_encoder__.unbatch(self)

    def _with_specs(self, change):
        """The same spec with each spec in its fields changed."""

        def changed(value):
            if isinstance(value, TypeSpec):
                return change(value)
            if isinstance(value, (dict, tuple)) and nest.is_nested(value):
                return nest.rebuild(value, [changed(child) for _, child in nest._items(value)])
            return value

        return self._deserialize((name, changed(value)) for name, value in self._serialize())


@export("experimental.BatchableExtensionType")
class BatchableExtensionType(ExtensionType, checked=False):
    """Base of extension types whose values can be batched, by datasets and `tf.map_fn`.

    Args:
      *args: The values of the fields that a subclass declares, in their order.
      **kwargs: Values of fields by name.

    >>> class Point(tf.experimental.BatchableExtensionType):
    ...     x: tf.Tensor
    ...     y: tf.Tensor
    >>> points = tf.data.Dataset.from_tensor_slices(Point([1, 2, 3], [4, 5, 6])).batch(2)
    >>> next(iter(points)).y.numpy().tolist()
    [4, 5]
    """

    __batch_encoder__ = ExtensionTypeBatchEncoder()
    _spec_base = BatchableExtensionTypeSpec
