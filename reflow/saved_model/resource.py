"""Resources that are no variables (tables) in SavedModels.

A file does not hold the resource but how to get it: a function that makes it and one that fills it. Whoever reads the file
calls both.
"""

from __future__ import annotations

from reflow.core.trackable_resource import TrackableResource
from reflow.function.function import Function

CREATE, INITIALIZE, DESTROY = "_create_resource", "_initialize", "_destroy_resource"


def is_resource(obj) -> bool:
    """Whether an object has a resource. (A StaticVocabularyTable without a vocabulary has none.)"""
    return isinstance(obj, TrackableResource) and obj.resource_handle is not None


def functions_of(resource: TrackableResource) -> dict[str, Function]:
    """The functions with which a reader makes, fills and frees a resource; those of a loaded one as they were."""

    def _creator():
        return resource._create_resource()

    def _initializer():
        resource._initialize()
        return 1  # functions in files return something

    def _destroyer():
        resource._destroy_resource()
        return 1

    made = {CREATE: _creator, INITIALIZE: _initializer, DESTROY: _destroyer}
    return {
        name: own if isinstance(own := getattr(resource, name), Function) else _function(body)
        for name, body in made.items()
    }


def _function(body) -> Function:
    return Function(body, input_signature=[], autograph=False)


class RestoredResource(TrackableResource):
    """A resource read from a SavedModel. The loader makes it, and sets the functions above as attributes."""

    def _add_trackable_child(self, name, value):
        setattr(self, name, value)
        if name not in (CREATE, INITIALIZE, DESTROY):
            self._track_trackable(value, name)
