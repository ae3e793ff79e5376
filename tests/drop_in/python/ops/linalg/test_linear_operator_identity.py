"""The base of operators that are only as large as they are."""

import reflow as tf
from reflow.drop_in.python.ops.linalg.linear_operator_identity import BaseLinearOperatorIdentity


def test_the_base_of_identities():
    assert isinstance(tf.linalg.LinearOperatorIdentity(2), BaseLinearOperatorIdentity)
    assert isinstance(tf.linalg.LinearOperatorScaledIdentity(2, 3.0), BaseLinearOperatorIdentity)
