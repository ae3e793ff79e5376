"""`tensorflow.python.distribute.input_lib`: distributed datasets, their iterators, and the specs of both."""

from typing import Any

from reflow.data.iterators import IteratorSpec
from reflow.distribute.input import DistributedDataset as DistributedDataset
from reflow.distribute.input import DistributedDatasetsFromFunction as DistributedDatasetsFromFunction
from reflow.distribute.input import DistributedDatasetsFromFunctionSpec as DistributedDatasetsFromFunctionSpec
from reflow.distribute.input import DistributedDatasetSpec as DistributedDatasetSpec
from reflow.distribute.input import DistributedIterator as DistributedIterator
from reflow.distribute.input import DistributedIteratorSpec as DistributedIteratorSpec
from reflow.distribute.values import InputReplicationMode as InputReplicationMode

DistributedIteratorBase = DistributedIterator


def get_iterator_spec_from_dataset(strategy: Any, dataset: Any) -> IteratorSpec:
    """The spec of what `iter` makes of a dataset, distributed or not."""
    distributed = isinstance(dataset._type_spec, DistributedDatasetSpec)
    return (DistributedIteratorSpec if distributed else IteratorSpec)(dataset.element_spec)
