"""`reflow/data/base.py`: what TensorFlow prints for the expressions of `base.txt`."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


@pytest.mark.parametrize("number", [tf.constant(1.5), tf.constant("a"), tf.constant(True)])
def test_a_number_that_is_no_integer(number):
    ds = tf.data.Dataset.range(3)
    for name, call in {"batch_size": ds.batch, "count": ds.take, "buffer_size": ds.prefetch, "size": ds.window}.items():
        with pytest.raises(ValueError, match=f"{name}: Tensor conversion requested dtype int64"):
            call(number)


def test_a_number_that_is_a_vector_or_a_variable():
    with pytest.raises(tf.errors.InvalidArgumentError, match="batch_size must be a scalar"):
        tf.data.Dataset.range(3).batch(tf.constant([2, 3]))
    assert [x.numpy().tolist() for x in tf.data.Dataset.range(3).batch(tf.Variable(2))] == [[0, 1], [2]]
