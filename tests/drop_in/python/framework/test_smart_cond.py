"""Branches that are chosen at once where their predicates are known."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework.smart_cond import smart_case


def test_known_predicates_choose_at_once():
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.int32, [])
        chosen = smart_case([(x > 1, lambda: tf.constant(1)), (tf.constant(True), lambda: "known")])
        assert chosen == "known"
        assert smart_case([(tf.constant(False), lambda: 1)], default=lambda: 2) == 2
        with pytest.raises(ValueError, match="there is no default"):
            smart_case([(False, lambda: 1)])
        y = smart_case([(x > 1, lambda: tf.constant(1))], default=lambda: tf.constant(0))
        with tf.compat.v1.Session() as session:
            assert session.run(y, {x: 5}) == 1
