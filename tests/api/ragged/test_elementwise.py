"""`reflow/api/ragged/elementwise.py`: what TensorFlow prints for the expressions of `elementwise.txt`."""

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_a_type_can_borrow_the_operators():
    """As the ragged inputs of Keras 2's models do."""

    class Boxed(tf.experimental.ExtensionType):
        value: tf.RaggedTensor

        __add__, __rmul__, __neg__ = (getattr(tf.RaggedTensor, f"__{name}__") for name in ("add", "rmul", "neg"))

    @tf.experimental.dispatch_for_binary_elementwise_apis(Boxed, Boxed)
    def of_two(function, x, y):
        return Boxed(function(x.value, y.value))

    @tf.experimental.dispatch_for_unary_elementwise_apis(Boxed)
    def of_one(function, x):
        return Boxed(function(x.value))

    x = Boxed(tf.ragged.constant([[1], [2, 3]]))
    assert (x + x).value.to_list() == [[2], [4, 6]]
    assert x.__rmul__(x).value.to_list() == [[1], [4, 9]]
    assert (-x).value.to_list() == [[-1], [-2, -3]]
