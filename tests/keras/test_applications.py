"""`keras.applications`: build, predict, one training step.

Two are compared with TensorFlow; REFLOW_LONG_TESTS=1 runs them all.
"""

import os

import numpy as np
import pytest

import reflow
from tests import recorded

reflow.install_as_tensorflow()

from tensorflow import keras  # noqa: E402

from tests.keras.application_programs import OTHERS, RECORDED, run  # noqa: E402

GOLDEN = recorded("keras_applications")


@pytest.mark.parametrize("name", RECORDED)
def test_numbers_are_tensorflows(name):
    found, expected = run(keras, name, RECORDED[name], "float64"), GOLDEN[name]
    assert found["parameters"] == expected["parameters"]
    np.testing.assert_allclose(found["predicted"], expected["predicted"], rtol=1e-6)
    np.testing.assert_allclose(found["loss"], expected["loss"], rtol=1e-7)
    np.testing.assert_allclose(found["means"], expected["means"], rtol=1e-6, atol=1e-12)  # weights after one step


@pytest.mark.skipif(not os.environ.get("REFLOW_LONG_TESTS"), reason="minutes; set REFLOW_LONG_TESTS=1")
@pytest.mark.parametrize("name", OTHERS)
def test_the_others_run(name):
    found = run(keras, name, OTHERS[name], "float32")
    np.testing.assert_allclose(np.sum(found["predicted"], 1), 1.0, rtol=1e-5)
    assert np.isfinite(found["loss"])
