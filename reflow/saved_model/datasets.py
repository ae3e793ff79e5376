"""Datasets in SavedModels.

A file does not hold a dataset but a function that creates it, as for tables (`resource.py`): the ops that created the
dataset, with constants for their arguments. A table that the dataset's functions use is created inside that function
too, with its current entries, and files that the dataset reads become assets. What a file cannot hold, a variable or
Python code, is rejected.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reflow.api.array.arrange import stack
from reflow.api.call import call
from reflow.core import errors
from reflow.core.tensor import EagerTensor
from reflow.data.dataset import DatasetV2
from reflow.data.engine import external_state
from reflow.data.engine.recipes import made_again
from reflow.io.assets import Asset
from reflow.io.datasets import Reader
from reflow.tracking.resource import TrackableResource
from reflow.tracking.trackable import Trackable

TRACKER = "_variant_tracker"


class VariantTracker(TrackableResource):
    """The variant of a dataset, which functions capture, and how it is made again."""

    def __init__(self, dataset: DatasetV2) -> None:
        super().__init__(device="CPU")
        self.dataset = dataset
        self.assets: list[tuple[DatasetV2, list[Asset]]] = []  # datasets of the files' names, and the files
        if not isinstance(dataset._variant_tensor, EagerTensor):
            raise NotImplementedError(
                "Constructing a tf.function that reproduces a given dataset is only supported for datasets created "
                "eagerly. Please file a feature request if this is important to you."
            )
        for one in _below(dataset):
            names = one.names_of_files if isinstance(one, Reader) else None
            if names is not None:
                self.assets.append((names, [Asset(path.decode()) for path in names.as_numpy_iterator()]))

    @property
    def resource_handle(self) -> Any:
        return self.dataset._variant_tensor

    def _create_resource(self) -> Any:
        value = self.dataset._variant_tensor._value
        try:
            external_state.check(value, external_state.FAIL)
        except errors.FailedPreconditionError as error:
            raise errors.FailedPreconditionError(
                None, None, f"Failed to serialize the input pipeline graph: {error.message}"
            ) from None
        made: dict[int, Any] = {}
        for names, assets in self.assets:
            recipe = names._variant_tensor._value.recipe
            made[id(names._variant_tensor._value)] = call(
                recipe.op, [stack([asset.asset_path for asset in assets])], recipe.attrs
            )
        return made_again(value, made)


def children_of(dataset: DatasetV2) -> dict[str, Trackable]:
    """What hangs below a dataset in a SavedModel."""
    tracker = VariantTracker(dataset)
    assets = [asset for _, group in tracker.assets for asset in group]
    return {**{f"asset_{i}": asset for i, asset in enumerate(assets)}, TRACKER: tracker}


def _below(dataset: Any) -> Iterator[Any]:
    """A dataset, and everything it reads."""
    seen, pending = {id(dataset)}, [dataset]
    while pending:
        one = pending.pop()
        yield one
        pending += [parent for parent in one._parents if id(parent) not in seen]
        seen.update(map(id, one._parents))
