"""Results that somebody must use, or else it is logged."""

from unittest import mock

import pytest

import reflow as tf
from reflow.core import logging
from reflow.drop_in.python.util import tf_should_use


@tf_should_use.should_use_result(warn_in_eager=True)
def number():
    return tf.constant(1.0)


def test_unused_is_logged():
    with mock.patch.object(logging.logger, "error") as error:
        number()
    assert "Object was never used" in error.call_args[0][0]


def test_used_is_not():
    with mock.patch.object(logging.logger, "error") as error:
        assert (number() + 1.0).numpy() == 2.0 and number().shape == []
        number().mark_used()
    error.assert_not_called()


def test_a_trace_fails_at_its_end():
    @tf.function
    def f():
        tf_should_use._add_should_use_warning(tf.constant(0, name="lost"), error_in_function=True)

    with pytest.raises(RuntimeError, match=r"Object was never used(.|\n)*lost:0"):
        f()
