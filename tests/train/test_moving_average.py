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
