"""Where conversion is on."""

import pytest

import reflow as tf
from tests.api.autograph import autograph_algorithms  # noqa: F401 - it registers programs


def test_autograph_off():
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(lambda x: 1 if x > 0 else 2, autograph=False)(tf.constant(1))
