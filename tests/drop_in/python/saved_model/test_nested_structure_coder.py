"""Nested Python structures as protos."""

import pytest

import reflow as tf
from reflow.drop_in.python.saved_model import nested_structure_coder as coder


@pytest.mark.parametrize(
    "value",
    [
        [1, {"a": (2.5, None)}], tf.TensorShape([1, None]), tf.TensorArraySpec([None], tf.int32),
        tf.TensorSpec([2], tf.float32, "x"),
    ],
)
def test_there_and_back(value):
    assert coder.can_encode(value)
    assert coder.decode_proto(coder.encode_structure(nested_structure=value)) == value


def test_what_has_no_proto():
    assert not coder.can_encode([1, object()])
    with pytest.raises(coder.NotEncodableError, match="No encoder for object"):
        coder.encode_structure(object())
