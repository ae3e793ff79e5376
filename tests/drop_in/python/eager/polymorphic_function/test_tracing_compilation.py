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
    with pytest.raises(ValueError, match="not supported by tf.function as an attribute"):
        tracing_compilation.call_function((), {}, tracing_compilation.TracingOptions(attributes={"nonsense": 1}))
