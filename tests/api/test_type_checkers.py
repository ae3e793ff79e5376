"""Type checks of arguments: what matches, what lets a call be replaced, in which order. Values are TensorFlow's."""

import collections

import pytest

import reflow as tf
from reflow.api import type_checkers
from reflow.api.type_checkers import MATCH, MATCH_DISPATCHABLE, NO_MATCH

INT, FLOAT, TENSOR, RAGGED = map(type_checkers.MakeInstanceChecker, (int, float, tf.Tensor, tf.RaggedTensor))
EITHER = type_checkers.MakeUnionChecker([TENSOR, RAGGED])
t, rt = tf.constant([1]), tf.ragged.constant([[1, 2], [3]])


def test_values_of_classes_unions_and_lists():
    assert (INT.Check(3), INT.Check(3.0), TENSOR.Check(t), RAGGED.Check(rt)) == (
        MATCH, NO_MATCH, MATCH, MATCH_DISPATCHABLE
    )
    assert [EITHER.Check(x) for x in (3, t, rt)] == [NO_MATCH, MATCH, MATCH_DISPATCHABLE]
    lists = type_checkers.MakeListChecker(EITHER)
    assert [lists.Check(x) for x in ([], [t], (t, rt), [t, 3], t)] == [
        MATCH, MATCH, MATCH_DISPATCHABLE, NO_MATCH, NO_MATCH
    ]


def test_texts_and_costs():
    lists = type_checkers.MakeListChecker(EITHER)
    assert [c.cost() for c in (INT, EITHER, lists)] == [1, 3, 30]
    assert [str(c) for c in (INT, EITHER, lists)] == [
        "int", "Union[Tensor, RaggedTensor]", "List[Union[Tensor, RaggedTensor]]"
    ]
    assert repr(type_checkers.MakeInstanceChecker(int, float)) == "<PyTypeChecker int, float>"
    signature = type_checkers.PySignatureChecker([(0, lists), (1, EITHER), (2, INT)])
    expected = "args[2]:int, args[1]:Union[Tensor, RaggedTensor], args[0]:List[Union[Tensor, RaggedTensor]]"
    assert repr(signature) == f"<PySignatureChecker {expected}>"
    with pytest.raises(TypeError, match=r"`\*py_classes` must be a tuple of types."):
        type_checkers.MakeInstanceChecker(3)


def test_answers_are_kept_by_type():
    checker = type_checkers.MakeInstanceChecker(tuple)
    pair = collections.namedtuple("pair", "a b")
    assert [checker.Check(x) for x in (5, 6, (1,), pair(1, 2))] == [NO_MATCH, NO_MATCH, MATCH, MATCH]
    assert checker.cache_size() == 3


def test_a_call_with_tensors_alone_is_never_replaced():
    signature = type_checkers.PySignatureChecker([(0, EITHER), (1, EITHER)])
    calls = [(t, t), (t, rt), (rt, t, 1), (rt, [rt]), (rt,)]
    assert [signature.CheckCanonicalizedArgs(args) for args in calls] == [False, True, True, False, False]


def test_only_composite_and_registered_types_are_dispatched():
    class Plain:
        pass

    @tf.experimental.dispatch_for_api(tf.math.cumsum, {"x": Plain})
    def total(x, axis=0, exclusive=False, reverse=False, name=None):
        return "all of it"

    with pytest.raises(ValueError, match="unsupported type"):
        tf.math.cumsum(Plain())
    type_checkers.register_dispatchable_type(Plain)
    other = type("Other", (Plain,), {})
    tf.experimental.unregister_dispatch_for(total)
    tf.experimental.dispatch_for_api(tf.math.cumsum, {"x": Plain})(total)
    assert tf.math.cumsum(other()) == "all of it" and tf.math.cumsum([1, 2]).numpy().tolist() == [1, 3]
    tf.experimental.unregister_dispatch_for(total)
    for registered in (other, tf.RaggedTensor, tf.experimental.ExtensionType):
        with pytest.raises(ValueError, match="has already been registered"):
            type_checkers.register_dispatchable_type(registered)
