"""`reflow/api/framework/graph_names.py`: what TensorFlow prints for the expressions of `graph_names.txt`."""

import numpy as np
import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_quantized_values_are_tuples():
    proto = tf.make_tensor_proto([[(3,)], [(4,)]], tf.qint8)
    assert proto.tensor_content == b"\x03\x04" and [d.size for d in proto.tensor_shape.dim] == [2, 1]
    array = tf.make_ndarray(proto)
    assert array.dtype == tf.qint8.as_numpy_dtype and array.tolist() == [[(3,)], [(4,)]]
    assert tf.make_tensor_proto((3,), tf.qint8).int_val == [3]
    assert tf.make_tensor_proto(np.array([3], np.int8), tf.qint8).int_val == [3]
    for values in (3, [3]):
        with pytest.raises(TypeError, match="Expected qint8, but got 3 of type 'int'."):
            tf.make_tensor_proto(values, tf.qint8)
