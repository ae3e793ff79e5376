"""The greatest common divisor."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.signal.util_ops import gcd


def test_greatest_common_divisors():
    assert gcd(12, 18).numpy() == 6 and gcd(5, 0).numpy() == 5
    assert tf.function(gcd, input_signature=[tf.TensorSpec([], tf.int32)] * 2)(12, 18).numpy() == 6
    with pytest.raises(ValueError, match="a must be an integer type"):
        gcd(1.5, 2)
