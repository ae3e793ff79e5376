"""`reflow/data/structure.py`: what TensorFlow prints for the expressions of `structure.txt`."""

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_a_range_is_a_tensor():
    ds = tf.data.Dataset.from_tensor_slices(range(3))
    assert [int(x) for x in ds] == [0, 1, 2] and ds.element_spec == tf.TensorSpec([], tf.int32)
