"""Functions that see a tensor of a graph whenever it is computed."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework.subscribe import subscribe


def test_seen_once_for_each_subscription():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        counts = [tf.compat.v1.get_variable(f"n{i}", initializer=0, use_resource=True) for i in range(2)]
        session.run(tf.compat.v1.global_variables_initializer())
        x = tf.constant(2.0) * 3.0
        y = x + 1.0
        first = subscribe(x, lambda t: counts[0].assign_add(1))
        assert subscribe(x, [lambda t: counts[1].assign_add(2)]) is first  # one identity serves all
        assert y.op.inputs[0] is first
        assert session.run(y) == 7.0 and session.run(counts) == [1, 2]


def test_structures_and_what_is_no_tensor():
    with tf.Graph().as_default():
        x, y = tf.constant(1.0), tf.constant(2.0)
        found = subscribe({"a": x, "b": [y]}, lambda t: tf.no_op())
        assert found["a"].op.inputs[0] is x and found["b"][0].op.inputs[0] is y
        assert subscribe(x, []) is x
        with pytest.raises(TypeError, match="has invalid type str"):
            subscribe("x", lambda t: t)
