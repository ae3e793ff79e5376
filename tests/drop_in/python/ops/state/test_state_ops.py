"""Variables without an initial value. The expectations are TensorFlow's."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.state import state_ops

v1 = tf.compat.v1


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def test_nothing_is_there_until_it_is_assigned(session):
    v = state_ops.variable_op([2], tf.float32)
    known = state_ops.is_variable_initialized(v)
    assert (v.op.name, v.shape.as_list(), session.run(known)) == ("Variable", [2], False)
    with pytest.raises(tf.errors.FailedPreconditionError):
        session.run(v)
    assert session.run(v1.assign(v, [1.0, 2.0])).tolist() == [1.0, 2.0]
    assert v.eval().tolist() == [1.0, 2.0] and session.run(known)
    assert session.run(v1.assign_add(v, [1.0, 1.0])).tolist() == session.run(tf.identity(v)).tolist() == [2.0, 3.0]
    with pytest.raises(ValueError):
        v1.assign(v, [1.0])
    assert v1.global_variables() == []


def test_first_values(session):
    v = state_ops.variable_op_v2([2], tf.int32, name="q")
    given = state_ops.init_variable(v, [5, 6])
    made = state_ops.init_variable(v, lambda shape, dtype: tf.ones(shape, dtype))
    assert (session.run(given).tolist(), session.run(made).tolist()) == ([5, 6], [1, 1])
    assert state_ops.variable_op_v2([2], tf.int32, name="q").op.name == "q_1"


def test_shapes_and_devices(session):
    v = state_ops.variable_op([1], tf.float32, set_shape=False)
    assert v.shape.rank is None and session.run(v1.assign(v, [1.0, 2.0], validate_shape=False)).tolist() == [1.0, 2.0]
    with tf.device("/job:ps/cpu:0"):
        assert state_ops.variable_op([1], tf.float32).device == "/job:ps/device:CPU:0"
