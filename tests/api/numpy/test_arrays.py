"""`reflow/api/numpy/arrays.py`: what TensorFlow prints for the expressions of `arrays.txt`."""

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_strings_are_values_and_names_of_dtypes():
    tnp = tf.experimental.numpy
    assert tnp.array(["i", "f"]).numpy().tolist() == [b"i", b"f"] and tnp.asarray("ab").dtype == tf.string
    assert tnp.zeros(1, "int32").dtype == tf.int32 and tnp.random.randint(5, dtype="l").dtype == tf.int64
