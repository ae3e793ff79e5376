"""`reflow/api/control/py_functions.py`: what TensorFlow prints for the expressions of `py_functions.txt`."""

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_a_node_calls_its_function_outside_the_strategy():
    """TensorFlow calls it on another thread; a plain call stays in its scope."""
    seen = []

    def look(x):
        seen.append(tf.distribute.has_strategy())
        return x

    with tf.distribute.MirroredStrategy(["/cpu:0"]).scope():
        for call in (tf.py_function, tf.numpy_function):
            tf.function(lambda call=call: call(look, [1.0], tf.float32))()
            call(look, [1.0], tf.float32)
    assert seen == [False, True, False, True]
