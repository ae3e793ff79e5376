"""`tf.Module`, and the tracking names that Keras and other libraries use: `tf.__internal__.tracking`."""

from __future__ import annotations

from reflow.api.export import export_value
from reflow.eager.module import Module
from reflow.tracking import data_structures, delegating, trackable
from reflow.tracking.resource import TrackableResource

export_value(Module, "Module")
export_value(trackable.TrackableView, "train.TrackableView")
export_value(TrackableResource, "saved_model.experimental.TrackableResource")

for _thing in (
    trackable.AutoTrackable,
    trackable.ObjectGraphView,
    trackable.ObjectIdentityDictionary,
    trackable.ObjectIdentitySet,
    trackable.Trackable,
    trackable.TrackableReference,
    trackable.no_automatic_dependency_tracking,
    data_structures.ListWrapper,
    data_structures.NoDependency,
    data_structures.TrackableDataStructure,
    data_structures._DictWrapper,
    data_structures._TupleWrapper,
    data_structures.sticky_attribute_assignment,
    data_structures.wrap,
    delegating.DelegatingTrackableMixin,
):
    export_value(_thing, f"__internal__.tracking.{_thing.__name__}")
