"""Default arguments as long as a context lasts."""

import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib


@contrib.framework.add_arg_scope
def f(x, scale=1, shift=0):
    return x * scale + shift


def test_defaults_count_inside_and_calls_count_more():
    with contrib.framework.arg_scope([f], scale=2) as outer:
        assert f(3) == 6 and f(3, scale=5) == 15 and f(3, 4) == 12
        with contrib.framework.arg_scope([f], shift=1):
            assert f(3) == 7
        assert f(3) == 6
    assert f(3) == 3
    with contrib.framework.arg_scope(outer):
        assert f(3) == 6
    assert contrib.framework.arg_scoped_arguments(f) == ("scale", "shift") and contrib.framework.has_arg_scope(f)


def test_functions_must_take_part():
    with (
        pytest.raises(ValueError, match="is not decorated with @add_arg_scope"),
        contrib.framework.arg_scope([len], scale=2),
    ):
        pass
    with pytest.raises(TypeError, match="must either be a list/tuple"), contrib.framework.arg_scope(f, scale=2):
        pass


def test_layers_take_defaults():
    with (
        tf.Graph().as_default(),
        contrib.framework.arg_scope([contrib.layers.fully_connected], activation_fn=None, biases_initializer=None),
    ):
        y = contrib.layers.fully_connected(tf.ones([1, 2]), 3)
        assert y.op.type == "MatMul"
