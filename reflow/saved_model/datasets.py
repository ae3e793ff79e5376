"""Datasets in SavedModels.

A file does not hold a dataset but a function that makes it, as it does for tables (`resource.py`): the ops that made the dataset here, with
constants for what they were given. A table in which the dataset's functions look is made inside of that function too, with the entries that it
has now, and files that the dataset reads become assets. What a file cannot hold, a variable or Python code, is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reflow.api.array.arrange import stack
from reflow.api.call import call
from reflow.core import errors
from reflow.core.tensor import EagerTensor, Tensor
from reflow.data.dataset import DatasetV2
from reflow.data.engine import external_state
from reflow.data.recipes import made_again
from reflow.io.assets import Asset
from reflow.io.datasets import Reader
from reflow.lookup.tables import DenseTable, StaticTable, Table
from reflow.ops.convert import constant
from reflow.tracking.resource import TrackableResource
from reflow.tracking.trackable import Trackable

TRACKER = "_variant_tracker"


class VariantTracker(TrackableResource):
    """The variant of a dataset, which functions capture, and how it is made again."""

    def __init__(self, dataset: DatasetV2) -> None:
        super().__init__(device="CPU")
        self.dataset = dataset
        self.assets: dict[int, list[Asset]] = {}  # by the id of the tensor with the files' names
        if not isinstance(dataset._variant_tensor, EagerTensor):
            raise NotImplementedError(
                "Constructing a tf.function that reproduces a given dataset is only supported for datasets created eagerly. Please file a "
                "feature request if this is important to you."
            )
        for one in _below(dataset):
            names = one.names_of_files if isinstance(one, Reader) else None
            if names is not None:
                self.assets[id(names)] = [Asset(path.decode()) for path in names.numpy().tolist()]

    @property
    def resource_handle(self) -> Any:
        return self.dataset._variant_tensor

    def _create_resource(self) -> Any:
        value = self.dataset._variant_tensor._value
        try:
            external_state.check(value, external_state.FAIL)
        except errors.FailedPreconditionError as error:
            raise errors.FailedPreconditionError(None, None, f"Failed to serialize the input pipeline graph: {error.message}") from None
        made: dict[int, Any] = {}
        for key, assets in self.assets.items():
            made[key] = stack([asset.asset_path for asset in assets])
        for tensor in [tensor for one in _below(self.dataset) if one._recipe is not None for tensor in one._recipe[1]]:
            if isinstance(tensor, EagerTensor) and isinstance(tensor._value, Table):
                made[id(tensor)] = _table_again(tensor._value)
        return made_again(self.dataset, made)


def children_of(dataset: DatasetV2) -> dict[str, Trackable]:
    """What hangs below a dataset in a SavedModel."""
    tracker = VariantTracker(dataset)
    assets = [asset for group in tracker.assets.values() for asset in group]
    return {**{f"asset_{i}": asset for i, asset in enumerate(assets)}, TRACKER: tracker}


def _below(dataset: Any) -> Iterator[Any]:
    """A dataset, and all that it reads."""
    seen, pending = {id(dataset)}, [dataset]
    while pending:
        one = pending.pop()
        yield one
        pending += [parent for parent in one._parents if id(parent) not in seen]
        seen.update(map(id, one._parents))


def _table_again(table: Table) -> Tensor:
    """A new table with the entries that another one has now."""
    types = {"key_dtype": table.key_dtype, "value_dtype": table.value_dtype}
    shaped = types | {"value_shape": table.value_shape}
    if isinstance(table, StaticTable):
        handle = call("AnonymousHashTable", (), types)
    elif isinstance(table, DenseTable):
        marks = [constant(key, table.key_dtype) for key in (table.empty_key, table.deleted_key)]
        sizes = {"initial_num_buckets": len(table.slots), "max_load_factor": table.load}
        handle = call("AnonymousMutableDenseHashTable", marks, shaped | sizes)
    elif table.value_shape:
        handle = call("AnonymousMutableHashTableOfTensors", (), shaped)
    else:
        handle = call("AnonymousMutableHashTable", (), types)
    if len(table):
        keys, values = table.export()
        call("LookupTableImportV2", (handle, constant(keys, table.key_dtype), constant(values, table.value_dtype)))
    return handle
