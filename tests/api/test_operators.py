"""`reflow/api/operators.py`: what TensorFlow prints for the expressions of `operators.txt`."""

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_equality_with_a_ragged_tensor_as_a_function():
    ragged = tf.ragged.constant([[1, 2], [3]])
    assert tf.__operators__.eq(ragged, ragged).to_list() == [[True, True], [True]]
    assert tf.__operators__.ne(tf.constant([[1], [3]]), ragged).to_list() == [[False, True], [False]]
