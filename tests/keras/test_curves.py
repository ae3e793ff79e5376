"""100 steps of the seeds' MLP and CNN: the loss of every step is the one that TensorFlow recorded, to 1e-3 relative."""


import numpy as np
import pytest

import reflow
from tests import recorded
from tests.keras.curve_programs import CURVES, STEPS

reflow.install_as_tensorflow()

import tensorflow as tf  # noqa: E402

GOLDEN = recorded("keras_curves")


@pytest.fixture(scope="module")
def digits():
    (images, labels), _ = reflow.datasets.mnist_small()
    return (images.astype("float32") / 255.0)[..., None], labels.astype("int32")


@pytest.mark.parametrize("name", CURVES)
def test_losses_are_tensorflows(name, digits):
    tf.keras.utils.set_random_seed(1)
    losses = CURVES[name](tf, *digits)
    assert len(losses) == STEPS
    np.testing.assert_allclose(losses, GOLDEN[name], rtol=1e-3)
