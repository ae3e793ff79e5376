"""Strings cut into sparse pieces."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops import string_ops


def test_pieces():
    found = string_ops.string_split(tf.constant(["a,b", "c"]), ",")
    assert found.values.numpy().tolist() == [b"a", b"b", b"c"] and found.dense_shape.numpy().tolist() == [2, 2]
    assert string_ops.string_split_v2(["a,b,c"], ",", maxsplit=1).values.numpy().tolist() == [b"a", b"b,c"]
    assert string_ops.string_split_v2([" a  b "]).values.numpy().tolist() == [b"a", b"b"]
    with pytest.raises(TypeError, match="Expected bool"):
        string_ops.string_split(["a"], ",", 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"input must be a vector, got shape: \[\]"):
        string_ops.string_split_v2("a b")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"delimiter must be a scalar, got shape: \[2\]"):
        string_ops.string_split(["a"], [",", "b"])
