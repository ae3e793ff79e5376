"""Datasets under a strategy: each element has a share for every replica.

A distributed dataset is an ordinary dataset whose elements hold `PerReplica` values, so its iterators are those of
`tf.data`: functions accept them as arguments, and checkpoints save their position.
"""

from __future__ import annotations

from reflow.api.array.arrange import shape
from reflow.api.array.creation import zeros
from reflow.api.export import export
from reflow.core import nest
from reflow.core.context import executing_eagerly
from reflow.core.specs import TensorSpec
from reflow.data.base import UNKNOWN_CARDINALITY
from reflow.data.dataset import DatasetV2
from reflow.data.experimental_names import assert_cardinality
from reflow.data.iterators import OwnedIterator
from reflow.distribute.values import PerReplica


@export("distribute.DistributedIterator")
class DistributedIterator(OwnedIterator):
    """Iterates over the steps of a `DistributedDataset`. Calling `iter` on one makes it.

    Args:
      dataset: The dataset to read.
      components: Instead of `dataset`: the tensors of an iterator.
      element_spec: With `components`: the structure of `tf.TypeSpec`s of an element.

    >>> strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    >>> shares = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
    >>> isinstance(iter(shares), tf.distribute.DistributedIterator)
    True
    """


@export("distribute.DistributedDataset")
class DistributedDataset(DatasetV2):
    """A dataset whose elements are shares for the replicas of a strategy. `tf.distribute.Strategy` makes it.

    Args:
      variant_tensor: The variant tensor that holds the pipeline.
      element_spec: The structure of `tf.TypeSpec`s of an element.
      parents: The datasets that this one reads.
      label: A name to show instead of that of the class.

    >>> strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    >>> shares = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
    >>> isinstance(shares, tf.distribute.DistributedDataset)
    True
    """

    def __iter__(self):
        return DistributedIterator(self)


def _wrapped(dataset: DatasetV2) -> DistributedDataset:
    return DistributedDataset(dataset._variant_tensor, dataset.element_spec, [dataset])


def share_batches(dataset: DatasetV2, replicas: int, mine: range | None = None) -> DistributedDataset:
    """Cut every batch into a part for each replica: of n examples each gets the next ceil(n / replicas), the last ones
    what is left.

    `mine` are the replicas of this process; all if None.
    """
    if replicas == 1:
        return _wrapped(dataset)  # as in TensorFlow: one replica gets the elements as they are
    mine = range(replicas) if mine is None else mine

    def cut(*element):
        element = element[0] if len(element) == 1 and not isinstance(dataset.element_spec, tuple) else element
        return nest.map_structure(_shares, element)

    def _shares(batch):
        if batch.shape.rank == 0:
            raise ValueError(
                "Only datasets of batches can be distributed: an element has a scalar component, which cannot be "
                f"divided among {replicas} replicas. Received: element_spec={dataset.element_spec}"
            )
        size = shape(batch)[0]
        part = (size + replicas - 1) // replicas
        return PerReplica([batch[i * part : (i + 1) * part] for i in mine])

    return _wrapped(dataset.map(cut))


def deal_elements(dataset: DatasetV2, replicas: int) -> DistributedDataset:
    """Give every replica the next element in turn; at the end, replicas for which none is left get an empty batch."""
    if replicas == 1:
        return _wrapped(dataset)
    spec = dataset.element_spec

    def group(*window):
        """A dataset of one element: the elements of a window, side by side."""
        whole = DatasetV2.zip(nest.pack_sequence_as(spec, nest.flatten(window))) if nest.is_nested(spec) else window[0]
        return DatasetV2.zip(tuple(_or_empty(whole.skip(i).take(1), spec) for i in range(replicas)))

    def regrouped(*parts):
        flat = zip(*[nest.flatten(part) for part in parts], strict=True)
        return nest.pack_sequence_as(parts[0], [PerReplica(leaves) for leaves in flat])

    windows = dataset.window(replicas)
    steps = windows.flat_map(group).map(regrouped)
    if executing_eagerly() and int(windows.cardinality()) != UNKNOWN_CARDINALITY:
        # one step a window, which `flat_map` cannot know
        steps = steps.apply(assert_cardinality(windows.cardinality()))
    return _wrapped(steps)


def _or_empty(dataset, spec):
    """The one element of a dataset, or an empty batch."""
    empty = nest.map_structure(empty_of, spec)
    return dataset.concatenate(DatasetV2.from_tensors(empty)).take(1)


def empty_of(spec: TensorSpec):
    """A batch without examples."""
    dims = spec.shape.as_list()
    return zeros([0, *[1 if n is None else n for n in dims[1:]]], spec.dtype)
