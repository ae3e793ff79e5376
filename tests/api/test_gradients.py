"""`reflow/api/gradients.py`: what TensorFlow prints for the expressions of `gradients.txt`."""

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_a_gradient_of_ones_own_for_ragged_tensors():
    @tf.custom_gradient
    def f(x, y):
        return (x * x, 2.0 * y), lambda dx, dy: (3.0 * dx, 4.0 * dy)

    ragged, dense = tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.constant(5.0)
    for call in (f, tf.function(f)):
        with tf.GradientTape() as tape:
            tape.watch((ragged, dense))
            squares, twice = call(ragged, dense)
        rows, number = tape.gradient((squares, twice), (ragged, dense))
        assert squares.to_list() == [[1.0, 4.0], [9.0]] and rows.to_list() == [[3.0, 3.0], [3.0]]
        assert (twice.numpy(), number.numpy()) == (10.0, 4.0)
