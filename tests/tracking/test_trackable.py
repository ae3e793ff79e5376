"""Tracking: attributes become children; lists, dictionaries and tuples keep track of what is in them."""

import collections
import copy
import gc
import json
import pickle
import weakref

import numpy as np
import pytest

from reflow.core import nest
from reflow.eager.variables import Variable
from reflow.tracking.data_structures import (
    ListWrapper,
    NoDependency,
    TrackableDataStructure,
    _DictWrapper,
    _TupleWrapper,
    wrap,
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

Pair = collections.namedtuple("Pair", "left right")


def names(obj) -> list[str]:
    return list(obj._trackable_children())


# ---------------------------------------------------------------- objects


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


# ---------------------------------------------------------------- walking


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


# ---------------------------------------------------------------- lists


def test_what_is_wrapped():
    assert type(wrap([1])) is ListWrapper
    assert type(wrap({})) is _DictWrapper
    assert type(wrap(collections.OrderedDict())) is _DictWrapper
    assert type(wrap((1, 2))) is tuple
    assert isinstance(wrap((1, [])), _TupleWrapper)
    assert isinstance(wrap(((Variable(1.0),),)), _TupleWrapper)
    for plain in (collections.Counter(), collections.defaultdict(list), "text", 3, None, np.ones(2), {1}):
        assert wrap(plain) is plain
    assert [type(wrap(x)).__name__ for x in ([], {}, ([],))] == ["ListWrapper", "_DictWrapper", "_TupleWrapper"]
    assert issubclass(ListWrapper, list)
    assert issubclass(_DictWrapper, dict)
    assert isinstance(wrap(([],)), tuple)


def test_list_behaves_as_a_list():
    wrapped = wrap([3, 1, 2])
    assert wrapped == [3, 1, 2]
    assert [3, 1, 2] == wrapped
    assert (wrapped != [3, 1, 2]) is False
    assert wrapped == wrap([3, 1, 2])
    assert wrapped < [4]
    assert [2] < wrapped
    assert wrapped >= wrap([3])
    assert wrapped > [3]
    assert wrapped <= [3, 1, 2]
    assert repr(wrapped) == "ListWrapper([3, 1, 2])"
    for result in (wrapped + [4], [0] + wrapped, wrapped + wrap([4]), wrapped * 2, 2 * wrapped, wrapped[:]):  # noqa: RUF005
        assert type(result) is list
    assert [0] + wrapped == [0, 3, 1, 2]  # noqa: RUF005
    assert sorted(wrapped) == [1, 2, 3]
    assert list(reversed(wrapped)) == [2, 1, 3]
    assert (len(wrapped), wrapped.index(2), wrapped.count(1), 3 in wrapped, wrapped[-1]) == (3, 2, 1, True, 2)
    assert json.dumps(wrapped) == "[3, 1, 2]"
    assert np.asarray(wrapped).tolist() == [3, 1, 2]
    with pytest.raises(TypeError, match="unhashable type: 'ListWrapper'"):
        hash(wrapped)


def test_list_mutations_match_a_list():
    def mutate(x):
        x.append(5)
        x += [6, 7]
        x.extend(i for i in (8, 9))
        x[0] = 10
        x[1:3] = [20, 21, 22]
        x[-1] = 11
        del x[2]
        x.insert(0, 1)
        x.insert(99, 2)
        popped = x.pop(), x.pop(0)
        x.remove(20)
        x.sort(reverse=True, key=lambda v: v)
        x.reverse()
        x *= 2
        return x, popped

    plain, wrapped = mutate([1, 2, 3]), mutate(wrap([1, 2, 3]))
    assert plain == wrapped
    assert list(list.__iter__(wrapped[0])) == plain[0], "the list that C code sees"
    wrapped[0].clear()
    assert wrapped[0] == []
    assert names(wrapped[0]) == []
    for action in (lambda x: x[5], lambda x: x.__setitem__(5, 1), lambda x: x.pop()):
        with pytest.raises(IndexError):
            action(wrap([]))


def test_appending_tracks():
    wrapped = wrap([1])
    wrapped.append(Variable(1.0))
    wrapped += [[Variable(2.0)], (Variable(3.0),)]
    assert names(wrapped) == ["1", "2", "3"]
    assert type(wrapped[2]) is ListWrapper
    wrapped[0] = Variable(4.0)  # nothing trackable was there
    assert names(wrapped) == ["1", "2", "3", "0"]


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.__setitem__(0, Variable(0.0)),
        lambda x: x.__setitem__(slice(0, 1), []),
        lambda x: x.__delitem__(0),
        lambda x: x.insert(0, 1),
        lambda x: x.pop(),
        lambda x: x.clear(),
        lambda x: x.reverse(),
        lambda x: x.sort(key=id),
        lambda x: x.__imul__(0),
    ],
)
def test_a_list_whose_elements_moved_is_not_saved(change):
    wrapped = wrap([Variable(1.0), 2, 3])
    change(wrapped)
    with pytest.raises(ValueError, match="Unable to save the object ListWrapper.*A list element was replaced"):
        wrapped._trackable_children()


def test_the_users_own_list_is_the_storage():
    own = [Variable(1.0)]
    wrapped = wrap(own)
    own.append(Variable(2.0))
    assert len(wrapped) == 2
    with pytest.raises(ValueError, match="The wrapped list was modified outside the wrapper"):
        wrapped._trackable_children()


def test_list_copies():
    wrapped = wrap([Variable(1.0), [2]])
    shallow, deep = copy.copy(wrapped), copy.deepcopy(wrapped)
    assert type(shallow) is type(deep) is type(wrapped.copy()) is ListWrapper
    assert shallow[0] is wrapped[0]
    assert deep[0] is not wrapped[0]
    assert names(deep) == ["0", "1"]
    shallow.append(3)
    assert len(wrapped) == 2
    restored = pickle.loads(pickle.dumps(wrap([1, {"a": (2, [3])}])))
    assert restored == [1, {"a": (2, [3])}]
    assert type(restored) is ListWrapper
    del wrapped[0]
    with pytest.raises(ValueError, match="Unable to save"):
        copy.copy(wrapped)._trackable_children()


def test_variables_of_structures():
    frozen, free = Variable(1.0, trainable=False), Variable(2.0)
    wrapped = wrap([frozen, {"x": [free]}, 3])
    assert isinstance(wrapped, TrackableDataStructure)
    assert [id(v) for v in wrapped.variables] == [id(free), id(frozen)]
    assert [id(v) for v in wrapped.trainable_variables] == [id(free)]
    assert [id(v) for v in wrapped.non_trainable_variables] == [id(frozen)]
    wrapped.trainable = False
    assert wrapped.trainable_weights == []
    assert len(wrapped.non_trainable_weights) == 2


# ---------------------------------------------------------------- dictionaries


def test_dict_behaves_as_a_dict():
    wrapped = wrap({"b": 1, "a": 2})
    assert wrapped == {"b": 1, "a": 2}
    assert {"b": 1, "a": 2} == wrapped
    assert wrapped != {"b": 1}
    assert list(wrapped) == ["b", "a"]
    assert (list(wrapped.items()), list(wrapped.values())) == ([("b", 1), ("a", 2)], [1, 2])
    assert {**wrapped} == dict(wrapped) == (wrapped | {}) == ({} | wrapped) == dict(**wrapped)
    assert (wrapped.get("x", 5), wrapped.get("x"), "a" in wrapped, len(wrapped)) == (5, None, True, 2)
    assert list(reversed(wrapped)) == ["a", "b"]
    assert (repr(wrapped), str(wrapped)) == ("DictWrapper({'b': 1, 'a': 2})", "{'b': 1, 'a': 2}")
    assert json.dumps(wrapped) == '{"b": 1, "a": 2}'
    assert wrap({"a": 1}) == wrap({"a": 1})
    with pytest.raises(TypeError, match="unhashable type: 'DictWrapper'"):
        hash(wrapped)
    with pytest.raises(KeyError):
        wrapped["x"]
    with pytest.raises(AttributeError):
        _ = wrapped.missing


def test_dict_mutations_match_a_dict():
    def mutate(x):
        x["c"] = 3
        x |= {"d": 4}
        x.update({"e": 5}, f=6)
        del x["a"]
        out = x.pop("b"), x.pop("zz", 0), x.popitem(), x.setdefault("g", 7), x.setdefault("g", 8)
        return x, out

    plain, wrapped = mutate({"a": 1, "b": 2}), mutate(wrap({"a": 1, "b": 2}))
    assert plain == wrapped
    assert dict(dict.items(wrapped[0])) == plain[0]
    wrapped[0].clear()
    assert not wrapped[0]


def test_dict_tracks():
    wrapped = wrap({"a": Variable(1.0), 3: "text", "n": {"x": [1]}})
    wrapped["b"] = Variable(2.0)
    wrapped["a"] = replaced = Variable(3.0)
    assert names(wrapped) == ["a", "n", "b"]
    assert wrapped._trackable_children()["a"] is replaced
    wrapped[4] = NoDependency([1])
    assert names(wrapped) == ["a", "n", "b"]
    wrapped[5] = Variable(4.0)
    with pytest.raises(ValueError, match="contains a non-string key which maps to a trackable object"):
        wrapped._trackable_children()


def test_dict_modified_outside():
    own = {"a": Variable(1.0)}
    wrapped = wrap(own)
    own["b"] = 2
    assert wrapped["b"] == 2
    with pytest.raises(ValueError, match="dictionary was modified outside the wrapper"):
        wrapped._trackable_children()


def test_dict_copies():
    wrapped = wrap(collections.OrderedDict(x=Variable(1.0), y=[1]))
    wrapped.move_to_end("x")
    assert list(wrapped) == ["y", "x"]
    for copied in (copy.copy(wrapped), copy.deepcopy(wrapped), wrapped.copy()):
        assert type(copied) is _DictWrapper
        assert list(copied) == ["y", "x"]
        assert sorted(names(copied)) == ["x", "y"]
    assert pickle.loads(pickle.dumps(wrap({"a": [1]}))) == {"a": [1]}
    assert _DictWrapper([("a", 1)]) == {"a": 1}
    assert _DictWrapper() == {}


# ---------------------------------------------------------------- tuples


def test_tuples():
    wrapped = wrap((1, [2], Variable(3.0)))
    assert names(wrapped) == ["1", "2"]
    assert wrapped[:2] == (1, [2])
    for result in (wrapped + (4,), wrapped[:1], wrapped * 2):  # noqa: RUF005
        assert type(result) is tuple
    assert repr(wrap((1, [2]))) == "_TupleWrapper((1, ListWrapper([2])))"
    assert str(wrap((1, [2]))) == "(1, ListWrapper([2]))"
    assert wrap((1, [2])) == (1, [2])
    assert hash(_TupleWrapper((1, 2))) == hash((1, 2))
    assert type(wrap((1, NoDependency([2])))[1]) is list
    for copied in (copy.copy(wrapped), copy.deepcopy(wrapped)):
        assert type(copied) is type(wrapped)
        assert names(copied) == ["1", "2"]


def test_named_tuples():
    wrapped = wrap(Pair([1], 2))
    assert isinstance(wrapped, Pair)
    assert isinstance(wrapped, _TupleWrapper)
    assert names(wrapped) == ["left", "0"]
    assert (wrapped.left, wrapped.right, wrapped._fields) == ([1], 2, ("left", "right"))
    assert type(wrapped._replace(right=3)) is Pair
    assert wrapped._asdict() == {"left": [1], "right": 2}
    assert wrapped == Pair([1], 2)
    assert repr(wrapped) == "_TupleWrapper(Pair(left=ListWrapper([1]), right=2))"
    restored = pickle.loads(pickle.dumps(wrapped))
    assert restored == wrapped
    assert type(restored) is type(wrapped)
    fields = collections.namedtuple("Fields", "variables trainable")
    assert wrap(fields([1], 5)).variables == [1]
    assert wrap(fields([1], 5)).trainable == 5


def test_a_named_tuple_that_cannot_be_made_again():
    class Odd(collections.namedtuple("Odd", "a b")):
        def __new__(cls, both):
            return super().__new__(cls, both, both)

    wrapped = wrap(Odd([1]))
    assert wrapped.a == [1]
    assert isinstance(wrapped, Odd)
    with pytest.raises(ValueError, match="is not constructable from its _fields"):
        wrapped._trackable_children()


@pytest.mark.parametrize("structure", [[1, [2]], {"b": 1, "a": [2]}, (1, [2]), Pair([1], 2), {"x": (1, {"y": [2]})}])
def test_nest_keeps_wrappers(structure):
    wrapped = wrap(structure)
    assert nest.flatten(wrapped) == nest.flatten(structure)
    mapped = nest.map_structure(lambda x: x + 1, wrapped)
    assert mapped == nest.map_structure(lambda x: x + 1, structure)
    assert type(mapped) is type(wrapped)
    nest.assert_same_structure(wrapped, structure)
