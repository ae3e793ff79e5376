"""Plain containers as trackable objects."""

import pytest

import reflow as tf
from reflow.drop_in.python.trackable.converter import convert_to_trackable


def test_kinds():
    module = tf.Module()
    assert convert_to_trackable(module) is module
    assert [type(convert_to_trackable(x)).__name__ for x in ([1], {"a": 1})] == ["ListWrapper", "_DictWrapper"]
    with pytest.raises(ValueError, match="Cannot convert 3 to Trackable."):
        convert_to_trackable(3)
