"""The predicates by which a module finds its parts."""

import reflow as tf
from reflow.drop_in.python.module import module


def test_predicates():
    fixed = tf.Variable(1.0, trainable=False)
    assert (
        module._is_variable(fixed)
        and module._is_non_trainable_variable(fixed)
        and not module._is_trainable_variable(fixed)
    )
    assert module._is_module(tf.Module()) and not module._is_module(fixed)


def test_names():
    assert [module.camel_to_snake(name) for name in ("SomeClass", "ABC", "FooBarHTTP2Baz")] == [
        "some_class", "abc", "foo_bar_http2_baz"
    ]
    assert [module.valid_identifier(name) for name in ("_a1", "class", "a-b", "1a", "\u00e9")] == [
        True, True, False, False, False
    ]
