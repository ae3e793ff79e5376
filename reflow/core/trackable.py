"""Trackable objects: what a checkpoint walks.

A `Trackable` has named children (`_trackable_children`) and may hold values (`_serialize_to_tensors`). Variables,
modules, layers, optimizers and tracked lists and dictionaries are trackable.
"""

from __future__ import annotations


class Trackable:
    """Base of objects that a checkpoint can save by following the names of their attributes."""

    def _trackable_children(self, save_type="checkpoint", **kwargs) -> dict:
        return {}

    def _serialize_to_tensors(self) -> dict:
        """Tensors to save for this object itself, by name."""
        return {}

    def _restore_from_tensors(self, tensors: dict):
        """Take the values saved by `_serialize_to_tensors`."""
