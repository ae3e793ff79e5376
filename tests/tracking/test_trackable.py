"""Tracking: attributes become children; lists, dictionaries and tuples keep track of what is in them."""

import copy
import gc
import weakref

import pytest

from reflow.eager.variables import Variable
from reflow.tracking.data_structures import (
    NoDependency,
)
from reflow.tracking.trackable import (
    AutoTrackable,
    ObjectGraphView,
    ObjectIdentityDictionary,
    ObjectIdentitySet,
    Trackable,
    TrackableReference,
    TrackableView,
    has_values,
    no_automatic_dependency_tracking,
)
from tests.tracking.children import names


def test_attributes_are_children_in_order_of_assignment():
    parent = AutoTrackable()
    parent.b, parent.a, parent.number = AutoTrackable(), Variable(1.0), 3
    assert names(parent) == ["b", "a"]
    parent.b = Variable(2.0)
    assert names(parent) == ["b", "a"]
    assert parent._trackable_children()["b"] is parent.b
    del parent.b
    assert names(parent) == ["a"]
    with pytest.raises(AttributeError):
        del parent.missing


def test_an_attribute_that_becomes_a_plain_value_stays_tracked():
    """As in TensorFlow, where the name keeps its last trackable object."""
    parent = AutoTrackable()
    parent.x = first = Variable(1.0)
    parent.x = 3
    assert parent._trackable_children() == {"x": first}


def test_no_dependency():
    parent = AutoTrackable()
    parent.x = NoDependency(Variable(1.0))
    parent.y = parent._no_dependency([1])
    assert isinstance(parent.x, Variable)
    assert type(parent.y) is list
    assert names(parent) == []


def test_no_automatic_dependency_tracking():
    class Holder(AutoTrackable):
        @no_automatic_dependency_tracking
        def set(self, value):
            """Sets."""
            self.hidden = value
            if value is None:
                raise RuntimeError

    holder = Holder()
    holder.set([Variable(1.0)])
    assert type(holder.hidden) is list
    assert names(holder) == []
    with pytest.raises(RuntimeError):
        holder.set(None)
    holder.seen = []
    assert names(holder) == ["seen"]
    assert Holder.set.__doc__ == "Sets."


def test_track_trackable():
    parent = Trackable()
    child = parent._track_trackable(Trackable(), "child")
    assert parent._lookup_dependency("child") is child
    assert parent._checkpoint_dependencies == [TrackableReference("child", child)]
    assert parent._track_trackable(child, "child") is child
    with pytest.raises(ValueError, match="name='child', but a Trackable with this name is already"):
        parent._track_trackable(Trackable(), "child")
    with pytest.raises(TypeError, match="can only be used to track objects of type Trackable. Got type <class 'int'>"):
        parent._track_trackable(3, "three")


def test_trackable_mixes_with_other_bases():
    """Keras' variable has three bases, one of them ours."""

    class Other:
        def __init__(self):
            self.x = 1

    class Mixed(Other, Trackable):
        def __setattr__(self, name, value):
            assert not name.startswith("_self_"), "bookkeeping goes past __setattr__"
            super().__setattr__(name, value)

    mixed = Mixed()
    mixed._track_trackable(Trackable(), "child")
    assert names(mixed) == ["child"]
    assert not has_values(mixed)
    assert has_values(Variable(1.0))
    with pytest.raises(NotImplementedError):
        mixed._serialize_to_tensors()


def test_deepcopy_of_a_tree():
    parent = AutoTrackable()
    parent.items = [Variable(1.0), {"x": AutoTrackable()}]
    parent.items[1]["x"].parent = parent
    copied = copy.deepcopy(parent)
    assert copied.items[0] is not parent.items[0]
    assert copied._trackable_children()["items"] is copied.items
    assert copied.items[1]["x"].parent is copied


def test_saved_model_children_include_functions():
    class Function:
        traced = 0

        def get_concrete_function(self):
            raise AssertionError

        def _list_all_concrete_functions_for_serialization(self):
            self.traced += 1

    class Module(AutoTrackable):
        f = Function()

        @property
        def broken(self):
            raise RuntimeError

    module = Module()
    module.v = Variable(1.0)
    module.items = [Function(), 2]
    assert names(module) == ["v", "items"]
    assert list(module._trackable_children("savedmodel")) == ["v", "items", "f"]
    assert Module.f.traced == 1
    assert list(module.items._trackable_children("savedmodel")) == ["0"]


def test_breadth_first_with_shortest_paths_and_cycles():
    root = AutoTrackable()
    root.deep = AutoTrackable()
    root.deep.x = Variable(1.0)
    root.x = root.deep.x
    root.deep.root = root
    view = TrackableView(root)
    assert [id(x) for x in view.descendants()] == [id(root), id(root.deep), id(root.x)]
    _, paths = view._descendants_with_paths()
    assert [reference.name for reference in paths[root.x]] == ["x"]


def test_a_view_does_not_keep_its_root():
    root = AutoTrackable()
    view, gone = TrackableView(root), weakref.ref(root)
    del root
    gc.collect()
    assert gone() is None
    with pytest.raises(ReferenceError):
        _ = view.root


def test_attached_dependencies():
    root, extra = AutoTrackable(), Variable(1.0)
    view = ObjectGraphView(root, [TrackableReference("extra", extra)])
    assert view.list_children(root) == [TrackableReference("extra", extra)]
    assert len(view.breadth_first_traversal()[0]) == 2
    assert names(root) == []


def test_untrackable_children_are_refused():
    class Odd(Trackable):
        def _trackable_children(self, save_type="checkpoint", **kwargs):
            return {"x": 3}

    odd = Odd()
    with pytest.raises(ValueError, match="Cannot convert 3 to Trackable"):
        TrackableView(odd).descendants()


def test_identity_containers():
    a, b = Variable([1.0, 2.0]), Variable([1.0, 2.0])
    table = ObjectIdentityDictionary([(a, 1)])
    assert a in table
    assert b not in table
    table[b] = 2
    del table[a]
    assert list(table.values()) == [2]
    both = ObjectIdentitySet([a, a, b])
    assert len(both) == 2
    assert len(both - ObjectIdentitySet([a])) == 1
    both.discard(a)
    assert a not in both
