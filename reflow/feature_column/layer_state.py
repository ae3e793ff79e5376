"""`tf.__internal__.feature_column.StateManager`: the state of columns in a layer of Keras 2, and saved with the layer.

Keras 3 has no layers on feature columns; those of `reflow/keras/compat/feature_layers.py` have a manager of their own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from reflow.api.export import export
from reflow.compat.partitions.variables import PartitionedVariable
from reflow.compat.variable_scopes import get_variable
from reflow.feature_column.base import KeptState
from reflow.tracking.trackable import Trackable


@export("__internal__.feature_column.StateManager")
class LayerState(KeptState):
    """Variables are weights of a layer, and children of it below the name of their column; so are tables.

    Args:
      layer: A layer of Keras 2, or None for a manager without variables.
      trainable: Whether variables can be trained.
    """

    def __init__(self, layer: Any, trainable: bool) -> None:
        super().__init__(trainable)
        self._layer = layer
        if layer is not None and not hasattr(layer, "_resources"):
            layer._resources = {}

    def _made(self, feature_column, name, **options):
        with _not_tracking(self._layer):
            variable = self._layer.add_weight(name=name, use_resource=True, getter=get_variable, **options)
        for part, suffix in _parts(variable):
            self._layer._track_trackable(part, f"{feature_column.name}/{name}{suffix}")
        return variable

    def add_resource(self, feature_column, name, resource):
        super().add_resource(feature_column, name, resource)
        if self._layer is not None and isinstance(resource, Trackable):
            resources = self._layer._resources
            if feature_column.name not in resources:
                resources[feature_column.name] = {}
            resources[feature_column.name].setdefault(name, resource)


def _parts(variable) -> list[tuple[Any, str]]:
    """The trackable parts of a variable, and what they add to its name: where they begin, if it is partitioned."""
    if isinstance(variable, PartitionedVariable):
        parts: list[Any] = list(variable)
        return [(part, f"/{part._save_slice_info.var_offset[0]}") for part in parts]
    return [(variable, "")] if isinstance(variable, Trackable) else []


@contextlib.contextmanager
def _not_tracking(layer) -> Iterator[None]:
    """While a layer's own methods make no children of it."""
    before = getattr(layer, "_manual_tracking", True)
    layer._manual_tracking = False
    try:
        yield
    finally:
        layer._manual_tracking = before
