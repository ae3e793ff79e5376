"""`tensorflow.python.checkpoint.util`: the objects that a checkpoint of a graph of objects would hold."""

from __future__ import annotations

from typing import Any

from reflow.train import gathering


def list_objects(graph_view: Any, skip_slot_variables: bool = False) -> list:
    """The objects, in the order in which a search through the breadth finds them, then the slots of optimizers."""
    return gathering.walk(graph_view, skip_slot_variables)[0].objects
