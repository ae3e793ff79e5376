"""`DelegatingTrackableMixin`: an object that a checkpoint sees as the object it wraps.

Keras 2's loss scale optimizer is one: in its checkpoint, the inner optimizer's variables are where that optimizer alone
would have them.
"""

from __future__ import annotations

from typing import Any

from reflow.tracking.trackable import Trackable

#: what a checkpoint asks of a trackable object; `_track_trackable` and `_lookup_dependency` are among it
_FORWARDED = (
    "_maybe_initialize_trackable", "_checkpoint_dependencies", "_unconditional_checkpoint_dependencies",
    "_deferred_dependencies",
    "_name_based_restores",
    "_unconditional_dependency_names", "_update_uid", "_object_identifier", "_tracking_metadata", "_no_dependency",
    "_track_trackable", "_lookup_dependency", "_handle_deferred_dependencies", "_trackable_children",
    "_deserialization_dependencies",
)  # fmt: skip


class DelegatingTrackableMixin:
    """A base class whose objects stand for the trackable object that they wrap, `_trackable`.

    >>> class Wrapper(DelegatingTrackableMixin, Trackable):
    ...     pass
    >>> inner = Trackable()
    >>> inner._track_trackable(Trackable(), "child") is Wrapper(inner)._trackable_children()["child"]
    True
    """

    def __init__(self, trackable_obj: Any) -> None:
        self._trackable = trackable_obj

    _setattr_tracking = property(
        lambda self: self._trackable._setattr_tracking,
        lambda self, value: setattr(self._trackable, "_setattr_tracking", value),
    )


def _forwarded(name: str) -> property:
    return property(
        lambda self: getattr(self._trackable, name), lambda self, value: setattr(self._trackable, name, value)
    )


for _name in _FORWARDED:
    if hasattr(Trackable, _name):
        setattr(DelegatingTrackableMixin, _name, _forwarded(_name))
