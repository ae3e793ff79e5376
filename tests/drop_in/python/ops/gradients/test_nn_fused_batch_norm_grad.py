"""The gradient of a batch normalization as ordinary ops, with TensorFlow's numbers."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.ops.gradients.nn_fused_batch_norm_grad import _BatchNormGrad

TRAINING = [-0.16353, 0.00026, 0.25639, -0.41967], [1.3062, -0.6531], [8.0, 7.0]
INFERENCE = [0.0, 1.38013, 1.90693, 0.0], [55.30084, 34.64129], [8.0, 7.0]


@pytest.mark.parametrize(("training", "expected"), [(True, TRAINING), (False, INFERENCE)])
@pytest.mark.parametrize("layout", [b"NHWC", b"NCHW"])
def test_gradients(training, expected, layout):
    x = tf.reshape(tf.range(16, dtype=tf.float32), [2, 2, 2, 2])
    y = x % 3.0
    if layout == b"NCHW":
        x, y = (tf.transpose(t, [0, 3, 1, 2]) for t in (x, y))
    numbers = tf.constant([1.0, 2.0]), tf.constant([0.5, 0.4]), tf.constant([1.0, 2.0])
    for_x, for_scale, for_offset = _BatchNormGrad(y, x, *numbers, 0.1, layout, training)
    if layout == b"NCHW":
        for_x = tf.transpose(for_x, [0, 2, 3, 1])
    np.testing.assert_allclose(tf.reshape(for_x, [-1])[:4], expected[0], atol=1e-4)
    np.testing.assert_allclose(for_scale, expected[1], rtol=1e-4)
    np.testing.assert_allclose(for_offset, expected[2])


def test_narrow_floats():
    x = tf.ones([1, 1, 1, 1], tf.float16)
    one = tf.ones([1])
    assert [t.dtype for t in _BatchNormGrad(x, x, one, one, one, 0.1, b"NHWC")] == [tf.float16, tf.float32, tf.float32]
