"""`tf.data.DatasetSpec`: the spec of a dataset that is an element, an argument or a result."""

from __future__ import annotations

from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.specs import TensorSpec, TypeSpec
from reflow.data.base import Family, kind


@export("data.DatasetSpec")
class DatasetSpec(TypeSpec):
    """Describes a dataset that is an element, an argument or a result, by the spec of its elements.

    Args:
      element_spec: The structure of `tf.TypeSpec`s of an element.
      dataset_shape: The shape of the tensor of datasets; `()` for one dataset.

    >>> tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3))
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))
    """

    __slots__ = ("_element_spec", "_dataset_shape")

    def __init__(self, element_spec, dataset_shape=()):
        self._element_spec = element_spec
        self._dataset_shape = TensorShape(dataset_shape)

    element_spec = property(lambda self: self._element_spec)

    @property
    def value_type(self):
        return Family._class

    def _serialize(self):
        return (self._element_spec, self._dataset_shape)

    @property
    def _component_specs(self):
        return TensorSpec(self._dataset_shape, dtypes.variant)

    def _to_components(self, value):
        return value._variant_tensor

    def _batch(self, size: int | None) -> DatasetSpec:
        """The spec of `size` such datasets in one tensor."""
        return DatasetSpec(self._element_spec, TensorShape([size]).concatenate(self._dataset_shape))

    def _unbatch(self) -> DatasetSpec:
        """The spec of one of the datasets in a tensor."""
        if self._dataset_shape.rank == 0:
            raise ValueError("Slicing dataset elements is not supported for rank 0.")
        return DatasetSpec(self._element_spec, self._dataset_shape[1:])

    def _from_components(self, components):
        if self._dataset_shape.rank != 0:
            return NestedVariant(components, self._element_spec, self._dataset_shape)
        return kind("_VariantDataset")(components, element_spec=self._element_spec)

    def _to_tensor_list(self, value):
        return [value._variant_tensor]

    def _from_tensor_list(self, value):
        (variant,) = value
        if not self._component_specs.is_compatible_with(variant):
            raise ValueError(f"A dataset is made of one scalar variant, received: {variant!r}.")
        return self._from_components(variant)

    _from_compatible_tensor_list = _from_tensor_list

    @staticmethod
    def from_value(value):
        """Returns the spec of a dataset.

        Args:
          value: The dataset.

        Returns:
          A `tf.data.DatasetSpec`.
        """
        return DatasetSpec(value.element_spec)


class NestedVariant:
    """A tensor of datasets, as batching a dataset of datasets makes it; `unbatch` gives the datasets again."""

    _is_composite = True

    def __init__(self, variant_tensor, element_spec, dataset_shape):
        self._variant_tensor, self.element_spec, self._dataset_shape = variant_tensor, element_spec, dataset_shape

    _type_spec = property(lambda self: DatasetSpec(self.element_spec, self._dataset_shape))

    def __repr__(self):
        return f"<NestedVariant element_spec={self.element_spec!r} shape={self._dataset_shape}>"
