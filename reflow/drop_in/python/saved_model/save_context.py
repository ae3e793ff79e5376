"""`tensorflow.python.saved_model.save_context`: code that runs, and functions that are traced, for a SavedModel.

Variables of a strategy are their first copies there, as on the one device for which the model will be loaded.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from reflow.core.context import Variant, state, swapped
from reflow.saved_model.options import SaveOptions


class _Given(threading.local):
    options: SaveOptions | None = None


_given = _Given()


@contextlib.contextmanager
def save_context(options: SaveOptions) -> Iterator[None]:
    """A block whose code is for a SavedModel with these options; ValueError inside of another one."""
    if in_save_context():
        raise ValueError("Already in a SaveContext.")
    _given.options = options
    try:
        with swapped(variant=Variant.SAVING):
            yield
    finally:
        _given.options = None


def in_save_context() -> bool:
    """Whether this line runs for a SavedModel."""
    return state.variant is Variant.SAVING


def get_save_options() -> SaveOptions:
    """The options of the block around; ValueError where there is none."""
    if _given.options is None:
        raise ValueError("Not in a SaveContext.")
    return _given.options
