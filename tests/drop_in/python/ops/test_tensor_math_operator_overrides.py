"""The functions behind the operators of tensors."""

import reflow as tf
from reflow.drop_in.python.ops import tensor_math_operator_overrides as overrides


def test_products():
    assert overrides._mul_dispatch_factory(tf.constant([1, 2]), tf.constant([4, 5])).numpy().tolist() == [4, 10]
    assert (
        overrides._mul_dispatch_factory(tf.constant([1, 2]), tf.constant([False, True])).numpy().tolist()
        == [False, True]
    )
    assert overrides._add_dispatch_factory(tf.constant([1]), 2).numpy().tolist() == [3]
