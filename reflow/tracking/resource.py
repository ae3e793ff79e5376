"""`tf.saved_model.experimental.TrackableResource`: base of objects with a resource that is no variable."""

from __future__ import annotations

from reflow.core.context import init_scope
from reflow.tracking.trackable import Trackable


class TrackableResource(Trackable):
    """A resource that is made when its handle is first asked for.

    A subclass defines `_create_resource`, which returns a handle, and may define `_initialize` and `_destroy_resource`.
    """

    def __init__(self, device: str = ""):
        self._resource_handle_value = None
        self._resource_device = device

    def _create_resource(self):
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self):
        """Fill the resource; nothing by default."""

    def _destroy_resource(self):
        """Free the resource; nothing by default."""

    @property
    def resource_handle(self):
        if self._resource_handle_value is None:
            with init_scope():
                self._resource_handle_value = self._create_resource()
        return self._resource_handle_value
