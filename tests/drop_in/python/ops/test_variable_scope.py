"""Stores of named variables that a program holds itself."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops import variable_scope
from reflow.drop_in.python.ops.variable_scope import EagerVariableStore

v1 = tf.compat.v1


def test_a_name_gives_the_same_variable_each_time():
    store = EagerVariableStore()

    def use():
        with store.as_default():
            with v1.variable_scope("a"):
                x = v1.get_variable("x", [2], initializer=v1.ones_initializer())
            return x, v1.get_variable("y", [], trainable=False)

    first, second = use(), use()
    assert first[0] is second[0] and first[1] is second[1]
    assert [v.name for v in store.variables()] == ["a/x:0", "y:0"]
    assert (
        [v.name for v in store.trainable_variables()] == ["a/x:0"]
        and [v.name for v in store.non_trainable_variables()] == ["y:0"]
    )
    copied = store.copy().variables()
    assert (
        [v.name for v in copied] == ["a/x:0", "y:0"] and copied[0] is not first[0]
        and copied[0].numpy().tolist() == [1, 1]
    )


def test_the_store_of_a_graph():
    with tf.Graph().as_default():
        store = variable_scope._get_default_variable_store()
        v = store.get_variable("v", [1])
        assert store.get_variable("v", [1]) is v and list(store._vars) == ["v"]
        with pytest.raises(ValueError, match="Variable v already exists"):
            store.get_variable("v", [1], reuse=False)
        with pytest.raises(ValueError, match="Variable u does not exist"):
            store.get_variable("u", [1], reuse=True)
        assert variable_scope._VariableStore().get_variable("v", [1]) is not v


def test_a_scope_for_variables_alone():
    with tf.Graph().as_default():
        with variable_scope._pure_variable_scope("p", old_name_scope="q/") as scope:
            assert (tf.compat.v1.get_variable("z", [1]).name, tf.constant(1).name) == ("p/z:0", "Const:0")
        assert scope.original_name_scope == "q/"
