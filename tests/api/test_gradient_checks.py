"""`tf.test.compute_gradient`: what TensorFlow prints for the expressions of `gradient_checks.txt`."""

import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_arguments_that_are_no_list():
    with pytest.raises(ValueError, match="`x` must be a list or tuple"):
        tf.test.compute_gradient(lambda x: x, tf.constant([1.0]))
