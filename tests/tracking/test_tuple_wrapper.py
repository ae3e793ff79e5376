"""Tuples and named tuples whose elements are tracked."""

import collections
import copy
import pickle

import pytest

from reflow.eager.variables import Variable
from reflow.tracking.data_structures import (
    NoDependency,
    _TupleWrapper,
    wrap,
)
from tests.expressions import session
from tests.tracking.children import Pair, names

test_expressions = session(__file__)


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
