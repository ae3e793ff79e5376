"""Datasets under a strategy: each element has a share for every replica.

A distributed dataset has an ordinary one, whose elements, the *steps*, hold `PerReplica` values. So its iterators are
those of `tf.data`: functions accept them as arguments, and checkpoints save their position.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.array.arrange import shape
from reflow.api.array.creation import zeros
from reflow.api.export import export
from reflow.core import dtypes, nest
from reflow.core.context import executing_eagerly, state
from reflow.core.specs import TensorSpec
from reflow.data import structure
from reflow.data.base import UNKNOWN_CARDINALITY, kind
from reflow.data.dataset import DatasetV2
from reflow.data.experimental_names import assert_cardinality
from reflow.data.iterators import IteratorSpec, OwnedIterator
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

    _is_distributed = True
    _type_spec = functools.cached_property(lambda self: DistributedIteratorSpec(self._element_spec))


class DistributedIteratorSpec(IteratorSpec):
    """The spec of a `DistributedIterator`."""

    __slots__ = ()
    value_type = DistributedIterator

    def _from_components(self, components):
        return DistributedIterator(components=components, element_spec=self._element_spec)


@export("distribute.DistributedDataset")
class DistributedDataset:
    """A sequence of steps, each with a share for every replica of a strategy. `tf.distribute.Strategy` makes it.

    It can be iterated over, and passed to a function that does; transformations come before it is distributed.

    Args:
      steps: The dataset whose elements are the steps.
      source: The dataset that was distributed, whose `cardinality` this one has; `steps` if None.

    >>> strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    >>> shares = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
    >>> isinstance(shares, tf.distribute.DistributedDataset), int(shares.cardinality)
    (True, 2)
    """

    _is_composite = _is_distributed = True

    def __init__(self, steps: DatasetV2, source: DatasetV2 | None = None) -> None:
        self._steps, self._source = steps, steps if source is None else source

    @property
    def element_spec(self) -> Any:
        """The structure of specs of a step."""
        return self._steps.element_spec

    @property
    def cardinality(self) -> Any:
        """The number of elements of the dataset that was distributed, an int64 tensor."""
        return self._source.cardinality()

    _variant_tensor = property(lambda self: self._steps._variant_tensor)
    _type_spec: Any = property(lambda self: DistributedDatasetSpec(self.element_spec))

    def __iter__(self) -> DistributedIterator:
        if state.graph is not None and not state.graph.building_function:
            raise RuntimeError(
                "__iter__() is only supported inside of tf.function or when eager execution is enabled."
            )
        return DistributedIterator(self._steps)

    def reduce(self, initial_state: Any, reduce_func: Callable[[Any, Any], Any]) -> Any:
        """Returns what is left of a state after `reduce_func(state, step)` of each step.

        Args:
          initial_state: The first state, a structure.
          reduce_func: A function of a state and a step to the next state.

        Returns:
          The last state.
        """
        return self._steps.reduce(initial_state, reduce_func)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} element_spec={self.element_spec!r}>"


class DistributedDatasetsFromFunction(DistributedDataset):
    """A distributed dataset whose parts a function has made, one for each process."""

    _type_spec = property(lambda self: DistributedDatasetsFromFunctionSpec(self.element_spec))


class DistributedDatasetSpec(structure.ElementSpec):
    """The spec of a `DistributedDataset`."""

    __slots__ = ()
    value_type: type[DistributedDataset] = DistributedDataset
    _component_dtype = dtypes.variant

    element_spec = property(lambda self: self._element_spec)

    def _to_components(self, value):
        return (value._variant_tensor,)

    def _from_components(self, components):
        return self.value_type(kind("_VariantDataset")(*components, element_spec=self._element_spec))


class DistributedDatasetsFromFunctionSpec(DistributedDatasetSpec):
    """The spec of a `DistributedDatasetsFromFunction`."""

    __slots__ = ()
    value_type = DistributedDatasetsFromFunction


def share_batches(dataset: DatasetV2, replicas: int, mine: range | None = None) -> DatasetV2:
    """Cut every batch into a part for each replica: of n examples each gets the next ceil(n / replicas), the last ones
    what is left.

    `mine` are the replicas of this process; all if None.
    """
    if replicas == 1:
        return dataset  # as in TensorFlow: one replica gets the elements as they are
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

    return dataset.map(cut)


def deal_elements(dataset: DatasetV2, replicas: int, order: Sequence[int] | None = None) -> DatasetV2:
    """Give every replica the next element in turn, or that which `order` says.

    At the end, replicas for which none is left get an empty batch; elements of one shape are left out instead.
    """
    if replicas == 1:
        return dataset
    spec = dataset.element_spec
    alike = all(isinstance(leaf, TensorSpec) and leaf.shape.is_fully_defined() for leaf in nest.flatten(spec))

    def group(*window):
        """A dataset of one element: the elements of a window, side by side."""
        whole = DatasetV2.zip(nest.pack_sequence_as(spec, nest.flatten(window))) if nest.is_nested(spec) else window[0]
        parts = [whole.skip(i).take(1) for i in order or range(replicas)]
        return DatasetV2.zip(tuple(parts if alike else [_or_empty(part, spec) for part in parts]))

    def regrouped(*parts):
        flat = zip(*[nest.flatten(part) for part in parts], strict=True)
        return nest.pack_sequence_as(parts[0], [PerReplica(leaves) for leaves in flat])

    windows = dataset.window(replicas, drop_remainder=alike)
    steps = windows.flat_map(group).map(regrouped)
    if executing_eagerly() and int(windows.cardinality()) != UNKNOWN_CARDINALITY:
        # one step a window, which `flat_map` cannot know
        steps = steps.apply(assert_cardinality(windows.cardinality()))
    return steps


def _or_empty(dataset, spec):
    """The one element of a dataset, or an empty batch."""
    empty = nest.map_structure(empty_of, spec)
    return dataset.concatenate(DatasetV2.from_tensors(empty)).take(1)


def empty_of(spec: TensorSpec):
    """A batch without examples."""
    dims = spec.shape.as_list()
    return zeros([0, *[1 if n is None else n for n in dims[1:]]], spec.dtype)
