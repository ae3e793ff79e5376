"""Which values are wrapped, and what the wrappers know of the variables below them."""

import collections

import numpy as np
import pytest

from reflow.core import nest
from reflow.eager.variables import Variable
from reflow.tracking.data_structures import (
    ListWrapper,
    TrackableDataStructure,
    _DictWrapper,
    _TupleWrapper,
    wrap,
)
from tests.tracking.children import Pair


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


@pytest.mark.parametrize("structure", [[1, [2]], {"b": 1, "a": [2]}, (1, [2]), Pair([1], 2), {"x": (1, {"y": [2]})}])
def test_nest_keeps_wrappers(structure):
    wrapped = wrap(structure)
    assert nest.flatten(wrapped) == nest.flatten(structure)
    mapped = nest.map_structure(lambda x: x + 1, wrapped)
    assert mapped == nest.map_structure(lambda x: x + 1, structure)
    assert type(mapped) is type(wrapped)
    nest.assert_same_structure(wrapped, structure)
