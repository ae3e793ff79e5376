"""`tensorflow.python.data.ops.dataset_ops`: the classes from which libraries derive datasets of their own."""

from typing import Any

from reflow.data.base import kind
from reflow.data.dataset import DatasetV2

_VariantDataset = kind("_VariantDataset")


class DatasetSource(DatasetV2):
    """A dataset that reads no other one. A subclass has an `element_spec`."""

    def __init__(self, variant_tensor: Any):
        super().__init__(variant_tensor)


class UnaryDataset(DatasetV2):
    """A dataset that reads another one. A subclass has an `element_spec`."""

    def __init__(self, input_dataset: Any, variant_tensor: Any):
        self._input_dataset = input_dataset
        super().__init__(variant_tensor, parents=(input_dataset,))


class UnaryUnchangedStructureDataset(UnaryDataset):
    """A dataset with elements of the same spec as those that it reads."""

    @property
    def element_spec(self) -> Any:
        return self._input_dataset.element_spec


class _RestructuredDataset(UnaryDataset):
    """The same elements under another spec."""

    def __init__(self, dataset: Any, element_spec: Any):
        self._element_spec = element_spec
        super().__init__(dataset, dataset._variant_tensor)


class DatasetV1Adapter(UnaryUnchangedStructureDataset):
    """A dataset with the methods of version 1, which all datasets have here."""

    def __init__(self, dataset: Any):
        self._dataset = dataset
        super().__init__(dataset, dataset._variant_tensor)
