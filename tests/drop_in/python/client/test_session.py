"""Classes that sessions learn to fetch and feed, and devices of a session."""

import pytest

import reflow as tf
from reflow.drop_in.python.client import session

v1 = tf.compat.v1


class Squared:
    def __init__(self, tensor):
        self.sq = tf.square(tensor)


@pytest.fixture
def known():
    session.register_session_run_conversion_functions(
        Squared, lambda s: ([s.sq], lambda values: values[0]), lambda s, value: [(s.sq, value)], lambda s: [s.sq]
    )
    yield
    session._REGISTERED_EXPANSIONS.clear()


def test_fetches_and_feeds(known):
    with tf.Graph().as_default(), v1.Session() as s:
        x = Squared(tf.constant(3.0))
        y = x.sq + 1.0
        assert s.run(x) == 9.0
        assert s.run([x, {"y": y}]) == [9.0, {"y": 10.0}]
        assert s.run(y, {x: 4.0}) == 5.0
        handle = s.partial_run_setup([y], [x])
        assert s.partial_run(handle, y, {x: 6.0}) == 7.0


def test_registered_twice(known):
    with pytest.raises(ValueError, match="has already been registered"):
        session.register_session_run_conversion_functions(Squared, None)


def test_what_sessions_share():
    assert issubclass(v1.Session, session.BaseSession)
    with pytest.raises(NotImplementedError, match="sess_str"):
        _ = session.SessionInterface().sess_str
