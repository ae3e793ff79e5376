"""`reflow/train/moving_average.py`: what TensorFlow prints for the expressions of `moving_average.txt`."""

import pytest

import reflow as tf
from reflow.train import moving_average
from tests.expressions import session

test_expressions = session(__file__)


def test_weighted_moving_average():
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as running:
        value, weight = v1.placeholder(tf.float32, []), v1.placeholder(tf.float32, [])
        average = moving_average.weighted_moving_average(value, 0.5, weight)
        running.run(v1.global_variables_initializer())
        assert running.run(average, {value: 3.0, weight: 4.0}) == 3.0
        assert running.run(average, {value: 11.0, weight: 22.0}) == pytest.approx(124.0 / 12.0)


def test_averages_have_names_of_variable_scopes():
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        with v1.variable_scope("s"):
            v = v1.get_variable("v", [2])
            t = tf.multiply(v, 2.0, name="t")
        with v1.variable_scope("o"):
            ema = tf.train.ExponentialMovingAverage(0.9, zero_debias=True, name="m")
            assert [ema.average_name(x) for x in (v, t)] == ["o/s/v/m", "o/s/t/m"]
            ema.apply([v, t])
            assert [ema.average(x).op.name for x in (v, t)] == ["o/s/v/m", "o/s/t/m"]
        assert sorted(ema.variables_to_restore()) == ["o/o/s/t/m/biased", "o/o/s/t/m/local_step", "o/s/t/m", "o/s/v/m"]


def test_each_call_has_hidden_variables_of_its_own():
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        v = v1.get_variable("v", [])
        for _ in range(2):
            moving_average.assign_moving_average(v, 0.0, 0.9)
        hidden = [x.name.removesuffix(":0") for x in v1.global_variables()[1:]]
        assert hidden == ["v/biased", "v/local_step", "v/biased_1", "v/local_step_1"]


def test_tensors_have_no_averages_in_eager_code():
    with pytest.raises(TypeError, match="does not support non-Variable tensors when eager execution is enabled"):
        tf.train.ExponentialMovingAverage(0.9).apply([tf.constant(1.0)])
