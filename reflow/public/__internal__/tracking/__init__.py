# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.tracking`."""

from reflow.api.framework.keras_hooks import register_session_provider as register_session_provider
from reflow.tracking.delegating import DelegatingTrackableMixin as DelegatingTrackableMixin
from reflow.tracking.dict_wrapper import _DictWrapper as _DictWrapper
from reflow.tracking.list_wrapper import ListWrapper as ListWrapper
from reflow.tracking.trackable import AutoTrackable as AutoTrackable
from reflow.tracking.trackable import ObjectGraphView as ObjectGraphView
from reflow.tracking.trackable import ObjectIdentityDictionary as ObjectIdentityDictionary
from reflow.tracking.trackable import ObjectIdentitySet as ObjectIdentitySet
from reflow.tracking.trackable import Trackable as Trackable
from reflow.tracking.trackable import TrackableReference as TrackableReference
from reflow.tracking.trackable import no_automatic_dependency_tracking as no_automatic_dependency_tracking
from reflow.tracking.tuple_wrapper import _TupleWrapper as _TupleWrapper
from reflow.tracking.wrapping import NoDependency as NoDependency
from reflow.tracking.wrapping import TrackableDataStructure as TrackableDataStructure
from reflow.tracking.wrapping import sticky_attribute_assignment as sticky_attribute_assignment
from reflow.tracking.wrapping import wrap as wrap
from reflow.train.initial_value import CheckpointInitialValue as CheckpointInitialValue
from reflow.train.initial_value import CheckpointInitialValueCallable as CheckpointInitialValueCallable
from reflow.train.restore_status import streaming_restore as streaming_restore
from reflow.train.saveables import saveable_objects_from_trackable as saveable_objects_from_trackable

__all__ = [
    "AutoTrackable", "CheckpointInitialValue", "CheckpointInitialValueCallable", "DelegatingTrackableMixin",
    "ListWrapper", "NoDependency", "ObjectGraphView", "ObjectIdentityDictionary", "ObjectIdentitySet", "Trackable",
    "TrackableDataStructure", "TrackableReference", "_DictWrapper", "_TupleWrapper", "no_automatic_dependency_tracking",
    "register_session_provider", "saveable_objects_from_trackable", "sticky_attribute_assignment", "streaming_restore",
    "wrap",
]
