"""Objects of TensorFlow programs in JSON."""

import json

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.util.serialization import get_json_type


def test_each_kind():
    given = [
        np.float32(1.5), np.arange(2), len, int, tf.TensorShape([None, 2]), tf.float32, ..., tf.compat.v1.Dimension(3)
    ]
    text = json.dumps(given, default=get_json_type)
    assert json.loads(text) == [1.5, [0, 1], "len", "int", [None, 2], "float32", {"class_name": "__ellipsis__"}, 3]
    with pytest.raises(TypeError, match="is not JSON-serializable"):
        get_json_type(object())
