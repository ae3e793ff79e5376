"""`tf.data.DatasetSpec`: the spec of a dataset that is an element, an argument or a result."""

from __future__ import annotations

from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.core.specs import TensorSpec, TypeSpec
from reflow.data.base import Family


@export("data.DatasetSpec")
class DatasetSpec(TypeSpec):
    """The spec of a dataset, by the spec of its elements.

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

    def _from_components(self, components):
        return Family._class(components, element_spec=self._element_spec, label="_VariantDataset")

    @staticmethod
    def from_value(value):
        return DatasetSpec(value.element_spec)
