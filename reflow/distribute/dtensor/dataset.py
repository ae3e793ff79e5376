"""`DTensorDataset`: a dataset whose batches are DTensors.

The dataset is batched for one replica (one index of the mesh's batch dimension). If its elements come from files, the
files are divided among the replicas; otherwise replicas take batches in turn. An element is the concatenation of one
batch per replica, with its layout.
"""

from __future__ import annotations

import functools
from typing import Any

from reflow.api.array.arrange import concat
from reflow.api.export import export
from reflow.core import dtypes, nest
from reflow.core.specs import TensorSpec
from reflow.data.dataset import DatasetV2
from reflow.data.iterators import IteratorSpec, OwnedIterator
from reflow.distribute.auto_shard import has_files
from reflow.distribute.dtensor.layout import Layout
from reflow.distribute.dtensor.mesh import Mesh
from reflow.distribute.dtensor.operations import relayout
from reflow.ops.dispatch import run


class DTensorIterator(OwnedIterator):
    """An iterator over a `DTensorDataset`; functions take it as an argument."""

    def __init__(
        self, dataset: Any = None, components: Any = None, element_spec: Any = None, layouts: Any = None
    ) -> None:
        super().__init__(dataset, components, element_spec)
        self._layouts = layouts

    _type_spec = functools.cached_property(lambda self: DTensorIteratorSpec(self._element_spec, self._layouts))

    def get_next(self) -> Any:
        return nest.map_structure(relayout, super().get_next(), self._layouts)

    _next_internal = get_next


class DTensorIteratorSpec(IteratorSpec):
    """The spec of such an iterator."""

    __slots__ = ("_layouts",)
    value_type = DTensorIterator

    def __init__(self, element_spec: Any, layouts: Any = None) -> None:
        super().__init__(element_spec)
        self._layouts = layouts

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_spec, nest.map_structure(lambda layout: layout.to_string(), self._layouts)

    def _from_components(self, components: Any) -> DTensorIterator:
        return DTensorIterator(components=components, element_spec=self._element_spec, layouts=self._layouts)


@export("experimental.dtensor.DTensorDataset")
class DTensorDataset(DatasetV2):
    """A dataset of DTensors.

    Args:
      dataset: the dataset, usually of single examples.
      mesh: the mesh that batches are put on.
      layouts: a layout for each component of a batch, in the structure of the dataset's elements.
      global_batch_size: the size of a batch of all replicas.
      dataset_already_batched: the dataset's elements are batches for one replica.
      batch_dim: the dimension of the mesh by which batches are divided; None if they are not.
      prefetch: how many batches to read ahead.
      tf_data_service_config: for several processes, which TensorFlow does not support either.

    Raises:
      ValueError: layouts do not fit the elements, or batches do not have the expected size.

    >>> mesh = tf.experimental.dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
    >>> batches = tf.experimental.dtensor.DTensorDataset(
    ...     tf.data.Dataset.range(4), mesh=mesh, layouts=tf.experimental.dtensor.Layout(["batch"], mesh),
    ...     global_batch_size=2, batch_dim="batch")
    >>> [b.numpy().tolist() for b in batches]
    [[0, 1], [2, 3]]
    """

    def __init__(
        self, dataset: DatasetV2, *, mesh: Mesh, layouts: Any, global_batch_size: int,
        dataset_already_batched: bool = False, batch_dim: str | None = None, prefetch: int | None = None,
        tf_data_service_config: Any = None,
    ) -> None:
        if tf_data_service_config is not None:
            raise NotImplementedError("Multi-client DTensorDataset is currently not supported. Check b/271162918.")
        nest.assert_same_structure(dataset.element_spec, layouts)
        flat, specs = nest.flatten(layouts), nest.flatten(dataset.element_spec)
        self.num_global_replicas = mesh.dim_size(batch_dim) if batch_dim else 1
        for layout in flat if batch_dim else ():
            if batch_dim != layout.sharding_specs[0]:
                raise ValueError(
                    f"batch_dim {batch_dim} was specified but at least one layout did not contain it: {layout}"
                )
        _check_layouts(flat, specs, dataset_already_batched)
        size = global_batch_size // self.num_global_replicas
        if not dataset_already_batched:
            dataset = dataset.batch(size, drop_remainder=True)
        elif specs[0].shape[0] != size:
            raise ValueError(
                "per_replica_batch_size does not matched expected size based on the mesh, got "
                f"{specs[0].shape[0]} but expected {size}."
            )
        joined = _joined(dataset, self.num_global_replicas)
        if prefetch is not None:
            joined = joined.prefetch(prefetch)
        whole = [
            TensorSpec([global_batch_size, *s.shape[1:]], s.dtype, s.name) for s in nest.flatten(dataset.element_spec)
        ]
        super().__init__(joined._variant_tensor, nest.pack_sequence_as(dataset.element_spec, whole), [joined])
        self._layouts = layouts

    def __iter__(self) -> DTensorIterator:
        return DTensorIterator(self, layouts=self._layouts)


def _check_layouts(layouts: list[Layout], specs: list[Any], batched: bool) -> None:
    if not specs:
        raise ValueError("Expected input element spec of at least one element, was empty.")
    for layout, spec in zip(layouts, specs, strict=True):
        if spec.shape.rank is None:
            raise ValueError(f"Dataset element shape must have a valid rank, got spec {spec}.")
        rank = spec.shape.rank + (not batched)
        if layout.rank != rank:
            raise ValueError(
                f"Expected layout with rank {rank} for element spec {spec}, got layout {layout.sharding_specs}. Check "
                "that the dataset is not batched before passing to DTensorDataset."
            )
        if batched and specs[0].shape[0] is None:
            raise ValueError(
                f"Size of batch dimension of element spec {spec} is None. Ensure drop_remainder=True "
                "when batching the dataset."
            )
        if batched and spec.shape[0] != specs[0].shape[0]:
            raise ValueError(
                f"Size of batch dimension of element spec {spec} does not match expected size {specs[0].shape[0]}."
            )


def _joined(dataset: DatasetV2, replicas: int) -> DatasetV2:
    """The batches of all replicas, concatenated in each component."""
    if replicas == 1:
        return dataset
    spec = dataset.element_spec
    parts = tuple(_share(dataset, replicas, i) for i in range(replicas))

    def join(*batches: Any) -> Any:
        flat = zip(*[nest.flatten(b) for b in batches], strict=True)
        return nest.pack_sequence_as(spec, [concat(same, 0) for same in flat])

    return DatasetV2.zip(parts).map(join)


def _share(dataset: DatasetV2, replicas: int, index: int) -> DatasetV2:
    """The batches of one replica."""
    if not has_files(dataset._variant_tensor._value):
        return dataset.shard(replicas, index)
    variant = run(
        "Reflow>FileShardDataset", dataset._variant_tensor, shards=replicas, index=index, T_handle=dtypes.variant
    )
    return DatasetV2(variant, dataset.element_spec, [dataset])
