"""`reflow/api/array/basics.py`: what TensorFlow prints for the expressions of `basics.txt`."""

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_static_values_behind_casts():
    with tf.Graph().as_default():
        known = tf.cast(tf.cast(tf.constant([1.5, 0.0]), tf.int32), tf.float64)
        assert tf.get_static_value(known).tolist() == [1.0, 0.0]
        assert tf.get_static_value(tf.cast(tf.compat.v1.placeholder(tf.int32), tf.float32)) is None
