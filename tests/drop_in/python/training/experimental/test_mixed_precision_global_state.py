"""Which way of half precision is in use."""

import pytest

import reflow as tf
from reflow.drop_in.python.training.experimental import mixed_precision_global_state as modes


@pytest.fixture(autouse=True)
def as_before():
    yield
    modes.set_mixed_precision_graph_rewrite_enabled(False)
    modes.set_non_mixed_precision_session_created(False)
    tf.__internal__.train.set_using_mixed_precision_policy(False)


def test_sessions_are_noted_until_graphs_are_rewritten():
    modes.set_non_mixed_precision_session_created(False)
    modes.set_mixed_precision_graph_rewrite_enabled(True)
    with tf.compat.v1.Session():
        assert not modes.non_mixed_precision_session_created()
    modes.set_mixed_precision_graph_rewrite_enabled(False)
    with tf.compat.v1.Session():
        assert modes.non_mixed_precision_session_created()


def test_policies_of_keras():
    assert not modes.is_using_mixed_precision_policy()
    tf.__internal__.train.set_using_mixed_precision_policy(True)
    assert modes.is_using_mixed_precision_policy()
