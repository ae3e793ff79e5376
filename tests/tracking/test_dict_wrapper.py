"""Dictionaries whose values are tracked behave as dictionaries."""

import collections
import copy
import json
import pickle

import pytest

from reflow.eager.variables import Variable
from reflow.tracking.data_structures import (
    NoDependency,
    _DictWrapper,
    wrap,
)
from tests.expressions import session
from tests.tracking.children import names

test_expressions = session(__file__)


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
