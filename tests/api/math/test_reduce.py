"""`reflow/api/math/reduce.py`: what TensorFlow prints for the expressions of `reduce.txt`."""

import pytest

import reflow as tf
from reflow.core import errors
from tests.expressions import session

test_expressions = session(__file__)


@pytest.mark.parametrize("axis", [0.5, "a", [0]])
def test_an_extremum_along_something_else_than_an_axis(axis):
    for search in (tf.argmax, tf.argmin):
        with pytest.raises(TypeError, match="axis must be int or Tensor with integer datatype"):
            search([1.0, 2.0], axis)
    with pytest.raises(errors.InvalidArgumentError, match="Value for attr 'Tidx' of float"):
        tf.argmax([1.0], tf.constant(0.5))


@pytest.mark.parametrize("run", [lambda f: f, tf.function, lambda f: tf.function(f, jit_compile=True)])
def test_the_mean_of_no_complex_numbers(run):
    assert run(tf.reduce_mean)(tf.zeros([0], tf.complex64)).numpy() == 0


@pytest.mark.parametrize("axis", [2**40, [2**40], -(2**40)])
def test_an_axis_above_32_bits(axis):
    with pytest.raises(errors.InvalidArgumentError, match="1099511627776"):
        tf.reduce_sum([1], axis)
