"""Lists whose elements are tracked behave as lists."""

import copy
import json
import pickle

import numpy as np
import pytest

from reflow.eager.variables import Variable
from reflow.tracking.data_structures import (
    ListWrapper,
    wrap,
)
from tests.expressions import session
from tests.tracking.children import names

test_expressions = session(__file__)


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
