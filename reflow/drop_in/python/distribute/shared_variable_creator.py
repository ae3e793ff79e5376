"""`tensorflow.python.distribute.shared_variable_creator`.

Variables that the first of several devices makes, and the others use.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

_NUMBER = re.compile(r"_\d+(?=/|$)")  # what makes a part of a name unique


def _canonicalize_variable_name(name: str | None) -> str:
    return "Variable" if name is None else _NUMBER.sub("", name)


def make_fn(shared_variable_store: dict[str, list], device_id: int) -> Callable[..., Any]:
    """A creator for `tf.variable_creator_scope`. On device 0 it makes variables and puts them into the store. On others
    it gives those of the same name, without the numbers in it, in the order in which they were made; RuntimeError if
    there is none."""
    taken: dict[str, int] = {}

    def create(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        known = shared_variable_store.setdefault(_canonicalize_variable_name(kwargs.get("name")), [])
        known.append(next_creator(**kwargs))
        return known[-1]

    def reuse(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        name = _canonicalize_variable_name(kwargs.get("name"))
        place = taken[name] = taken.get(name, -1) + 1
        known = shared_variable_store.get(name, [])
        if place >= len(known):
            raise RuntimeError(
                f"Tried to create variable {kwargs.get('name')} with mismatching name on device {device_id}"
            )
        return known[place]

    return reuse if device_id else create
