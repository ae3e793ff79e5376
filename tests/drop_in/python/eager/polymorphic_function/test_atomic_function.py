"""`tensorflow.python.eager.polymorphic_function.atomic_function`: graph functions from their definitions."""

import pytest

import reflow as tf
from reflow.drop_in.python.eager.polymorphic_function.atomic_function import from_function_def
from reflow.drop_in.python.eager.polymorphic_function.concrete_function import ConcreteFunction


def test_a_definition_and_a_type_make_a_function():
    captured = tf.constant(2.0)

    @tf.function
    def f(x, *, k):
        return {"sum": x["v"] + k, "captured": captured, "n": x["n"]}

    given = {"v": tf.Variable(1.0), "n": [1, 2]}
    trace = f.get_concrete_function(given, k=tf.constant(3.0))
    made = from_function_def(trace.function_def, trace.function_type)
    with pytest.raises(ValueError, match="Use call_with_captures instead"):
        made(given, k=tf.constant(3.0))
    result = made.call_with_captures(
        ({"v": tf.Variable(5.0), "n": [1, 2]},), {"k": tf.constant(3.0)}, [tf.constant(7.0)]
    )
    assert tf.nest.map_structure(lambda t: t.numpy().item(), result) == {"sum": 8.0, "captured": 7.0, "n": [1, 2]}
    assert "AtomicFunction" in str(made) and "function_type" in repr(made)


def test_a_function_without_captures_is_called_as_it_was():
    inner = tf.function(lambda x, y: x + y)
    trace = tf.function(lambda x, y: inner(x, y)).get_concrete_function(tf.constant(1), tf.constant(2))
    made = from_function_def(trace.function_def, trace.function_type)
    assert ConcreteFunction(made)(tf.constant(3), tf.constant(4)).numpy() == 7
    assert tf.function(lambda a, b: made.call_flat(a, b)[0])(tf.constant(3), tf.constant(5)).numpy() == 8
