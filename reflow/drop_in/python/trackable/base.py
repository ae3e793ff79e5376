"""`tensorflow.python.trackable.base`: edges between trackable objects, and blocks in which none are made."""

import collections
import contextlib
import weakref

from reflow.tracking.trackable import TrackableReference, _set
from reflow.train.saveables import SaveableObject, SaveSpec

ShardInfo = collections.namedtuple("ShardInfo", ["shape", "offset"])


class WeakTrackableReference(TrackableReference):
    """A named edge that does not keep its child alive: `ref` is None once it is gone."""

    __slots__ = ("_weak",)

    def __init__(self, name, ref):
        self.name, self._weak = name, weakref.ref(ref)

    def __getattribute__(self, name):
        return self._weak() if name == "ref" else super().__getattribute__(name)

    def __repr__(self):
        return f"WeakTrackableReference(name={self.name}, ref={self.ref})"


class NoRestoreSaveable(SaveableObject):
    """A tensor that is saved and not restored."""

    def __init__(self, tensor, name, dtype=None, device=None):
        super().__init__(tensor, [SaveSpec(tensor, "", name, dtype, device)], name)

    def restore(self, restored_tensors, restored_shapes):
        """Nothing."""
        return None


@contextlib.contextmanager
def _switched_off(obj, name):
    before = getattr(obj, name, True)
    _set(obj, name, False)
    try:
        yield
    finally:
        _set(obj, name, before)


def no_automatic_dependency_tracking_scope(obj):
    """A block in which assigning to attributes of an object tracks nothing."""
    return _switched_off(obj, "_self_setattr_tracking")


def no_manual_dependency_tracking_scope(obj):
    """A block in which an object tracks nothing that it is told to, by `_track_trackable`."""
    return _switched_off(obj, "_manual_tracking")
