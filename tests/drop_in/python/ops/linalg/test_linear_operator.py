"""Operators of libraries."""

import reflow as tf
from reflow.drop_in.python.ops.linalg.linear_operator import make_composite_tensor


def test_an_operator_of_a_library_goes_into_functions():
    @make_composite_tensor
    class Twice(tf.linalg.LinearOperatorDiag):
        pass

    assert tf.function(lambda operator: operator.trace())(Twice([1.0, 2.0])).numpy() == 3.0
