"""What is known of the product of two operators."""

import numpy as np

import reflow as tf
from reflow.drop_in.python.ops.linalg import property_hint_util as util


def test_hints():
    make = tf.linalg.LinearOperatorFullMatrix
    known, other = (
        make(np.eye(2), is_self_adjoint=True, is_positive_definite=True), make(np.eye(2), is_self_adjoint=False)
    )
    wide, high = make(np.ones([2, 3])), make(np.ones([3, 2]))
    pairs = [(known, known), (known, other), (wide, high), (known, wide)]
    assert [util.combined_commuting_self_adjoint_hint(*p) for p in pairs] == [True, False, None, None]
    assert [util.combined_commuting_positive_definite_hint(*p) for p in pairs] == [True, None, None, None]
    assert [util.combined_non_singular_hint(*p) for p in pairs[:2]] == [True, None]
    assert [util.is_square(*p) for p in pairs] == [True, True, True, False]
