"""Variables behind a result."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops import custom_gradient


def test_variables_through_which_cotangents_flow():
    with tf.Graph().as_default():
        used, stopped, fixed, before = (
            tf.Variable(1.0, name=n, trainable=n != "fixed") for n in ("used", "stopped", "fixed", "before")
        )
        x = tf.constant(2.0) * before
        y = tf.identity(x) * used + tf.stop_gradient(stopped * 2.0) + fixed
        assert custom_gradient._get_dependent_variables([x], [y]) == [used]
        assert custom_gradient.get_variable_by_name("used") is used
        assert custom_gradient.get_variable_by_name("fixed") is None
        with pytest.raises(ValueError, match="finding variable other"):
            custom_gradient.get_variable_by_name("other")
