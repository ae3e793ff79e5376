"""Which functions are called as they are."""

import collections
import functools

import reflow as tf
from reflow.drop_in.python.autograph.impl import conversion


def plain():
    return 1


def test_kinds_of_functions():
    point = collections.namedtuple("point", "x y")
    for function in (tf.nn.relu, tf.constant, tf.Module().with_name_scope, tf.function(plain), point):
        assert conversion.is_allowlisted(function), function
    assert not conversion.is_allowlisted(plain)
    assert conversion.is_unsupported(functools.lru_cache(plain)) and not conversion.is_unsupported(plain)


def test_the_memory_of_answers():
    options = object()
    assert not conversion.is_in_allowlist_cache(plain, options)
    conversion.cache_allowlisted(plain, options)
    assert conversion.is_in_allowlist_cache(plain, options)
