"""The traces of a function, counted."""

import reflow as tf
from reflow.drop_in.core.function.polymorphism.function_cache import FunctionCache


def test_the_cache_counts_traces():
    cache = FunctionCache()
    assert len(cache) == 0
    function = cache.function(lambda: tf.function(lambda x: x + 1))
    function(1), function(2), function(2)
    assert len(cache) == 2 and cache.function(lambda: None) is function
