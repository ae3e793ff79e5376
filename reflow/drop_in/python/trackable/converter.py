"""`tensorflow.python.trackable.converter`: plain containers as trackable objects."""

from reflow.tracking.trackable import Trackable
from reflow.tracking.wrapping import wrap


def convert_to_trackable(obj):
    """An object that is trackable, or the wrapper of a plain list, dictionary or tuple.

    ValueError for anything else.
    """
    if isinstance(obj, Trackable):
        return obj
    found = wrap(obj)
    if not isinstance(found, Trackable):
        raise ValueError(f"Cannot convert {obj} to Trackable.")
    return found
