"""`reflow/api/array/arrange.py`: what TensorFlow prints for the expressions of `arrange.txt`."""

from tests.expressions import session

test_expressions = session(__file__)


def test_a_tensor_is_stacked_already():
    import reflow as tf

    assert tf.stack(tf.constant(3.0)).numpy() == 3.0 and tf.stack(3.0).numpy() == 3.0
    assert tf.stack(tf.constant([[3.0, 4.0]]), axis=1).numpy().tolist() == [[3.0], [4.0]]
