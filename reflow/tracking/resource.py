"""`tf.saved_model.experimental.TrackableResource`: base of objects with a resource that is no variable."""

from __future__ import annotations

from typing import Any

from reflow.core.context import init_scope
from reflow.tracking.trackable import Trackable


class TrackableResource(Trackable):
    """A resource that is made when its handle is first asked for.

    A subclass defines `_create_resource`, which returns a handle, and may define `_initialize` and `_destroy_resource`.
    """

    def __init__(self, device: str = "") -> None:
        self._resource_handle_value = None
        self._resource_device = device

    def _create_resource(self) -> Any:
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self) -> None:
        """Fill the resource; nothing by default."""

    def _destroy_resource(self) -> None:
        """Free the resource; nothing by default."""

    @property
    def resource_handle(self) -> Any:
        if self._resource_handle_value is None:
            with init_scope():
                self._resource_handle_value = self._create_resource()
        return self._resource_handle_value
