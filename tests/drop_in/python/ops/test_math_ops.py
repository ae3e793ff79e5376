"""`tensorflow.python.ops.math_ops`: functions without a public name."""

from reflow.drop_in.python.ops.math_ops import _bucketize


def test_bucketize():
    assert _bucketize([-1.0, 0.0, 2.5, 9.0], [0.0, 2.0, 3.0]).numpy().tolist() == [0, 1, 2, 3]
