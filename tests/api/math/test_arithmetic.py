"""`reflow/api/math/arithmetic.py`: what TensorFlow prints for the expressions of `arithmetic.txt`."""

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_a_cast_that_loses_the_imaginary_part_warns(caplog):
    with caplog.at_level("WARNING", logger="tensorflow"):
        assert tf.cast(tf.constant(3 + 4j), tf.float32).numpy() == 3.0
        tf.cast(tf.constant(3 + 4j), tf.complex64)
    assert [r.getMessage() for r in caplog.records] == [
        "You are casting an input of type complex128 to an incompatible dtype float32.  This will discard the "
        "imaginary part and may not be what you intended."
    ]
