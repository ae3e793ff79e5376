"""Trackable lists, dictionaries and tuples.

On assignment to an attribute of an `AutoTrackable` (a `tf.Module`, a `tf.train.Checkpoint`) a plain list becomes a
`ListWrapper`, a dictionary a `_DictWrapper`, and a tuple that holds something trackable a `_TupleWrapper`. They behave
like what they wrap. Their elements are children named by index or key, so values restored from a checkpoint reach
elements that are appended later.

A wrapper keeps the user's own list or dictionary as its *storage*, so changes are visible through both names. It is
also a list or dictionary itself, with a copy of the storage's contents, for C code that accesses `list` and `dict`
directly. Only additions keep the names of the other elements: a wrapper remembers a replaced, removed or moved element,
or a direct change of the storage, and then cannot be saved.
"""

from __future__ import annotations

from reflow.tracking.dict_wrapper import _DictWrapper
from reflow.tracking.list_wrapper import ListWrapper
from reflow.tracking.tuple_wrapper import _TupleWrapper
from reflow.tracking.wrapping import NoDependency, TrackableDataStructure, sticky_attribute_assignment, wrap

__all__ = [
    "ListWrapper",
    "NoDependency",
    "TrackableDataStructure",
    "_DictWrapper",
    "_TupleWrapper",
    "sticky_attribute_assignment",
    "wrap",
]
