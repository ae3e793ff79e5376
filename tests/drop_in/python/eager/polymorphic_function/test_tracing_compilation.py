"""Traces by options."""

import pytest

import reflow as tf
from reflow.drop_in.core.function.polymorphism.function_cache import FunctionCache
from reflow.drop_in.python.eager.polymorphic_function import tracing_compilation


def test_calls_share_the_traces_of_a_cache():
    cache = FunctionCache()
    options = tracing_compilation.TracingOptions(lambda x: x * 2.0, "double", function_cache=cache)
    assert tracing_compilation.call_function((tf.constant(2.0),), {}, options).numpy() == 4.0
    trace = tracing_compilation.trace_function((tf.TensorSpec([]),), {}, options)
    assert len(cache) == 1 and trace(tf.constant(3.0)).numpy() == 6.0
    with pytest.raises(ValueError, match="Tracing compilation does not support `nonsense` as an attribute."):
        tracing_compilation.call_function((), {}, tracing_compilation.TracingOptions(attributes={"nonsense": 1}))


def test_each_trace_may_make_variables():
    made = []

    def f(x):
        made.append(tf.Variable(x.shape[0]))
        return made[-1] + 1

    options = tracing_compilation.TracingOptions(f, "f", function_cache=FunctionCache())
    results = [tracing_compilation.call_function((tf.ones([n]),), {}, options).numpy() for n in (1, 2)]
    assert results == [2, 3] and len(made) == 2


def test_a_graph_has_the_functions_of_a_gradient():
    with tf.Graph().as_default() as graph:
        trace = tf.function(tf.square).get_concrete_function(tf.constant(2.0))
        trace.add_to_graph()
        trace.add_gradient_functions_to_graph()
        inference, forward, backward = graph._functions.values()
    assert (inference.name, forward.cached_definition.attr["backward_function_name"].s) == (trace.name, backward.name)
