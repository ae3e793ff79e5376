"""The gradient of a batch normalization's gradient, which takes into account that the statistics are those of x."""

import numpy as np
import pytest

import reflow as tf

RNG = np.random.RandomState(1)
X, UP, WEIGHTS = (RNG.rand(2, 3, 4, 5).astype(np.float32) for _ in range(3))
SCALE, MEAN, VARIANCE = (RNG.rand(5).astype(np.float32) for _ in range(3))


def functional(x, scale, up, training, layout):
    """A number made of the gradients for x, the scale and the offset."""
    with tf.GradientTape() as tape:
        tape.watch([x, scale])
        statistics = {} if training else {"mean": MEAN, "variance": VARIANCE}
        y = tf.compat.v1.nn.fused_batch_norm(
            x, scale, tf.zeros([5]), epsilon=0.01, is_training=training, data_format=layout, **statistics
        )[0]
        loss = tf.reduce_sum(y * up)
    of_x, of_scale = tape.gradient(loss, [x, scale])
    weights = WEIGHTS if layout == "NHWC" else WEIGHTS.transpose(0, 3, 1, 2)
    return tf.reduce_sum(of_x * weights) + tf.reduce_sum(of_scale * tf.range(5.0))


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("graph", [True, False])
def test_against_differences(training, layout, graph):
    arrays = [a if layout == "NHWC" or a.ndim == 1 else a.transpose(0, 3, 1, 2) for a in (X, SCALE, UP)]
    function = lambda *given: functional(*given, training, layout)
    function = tf.function(function) if graph else function
    tensors = [tf.constant(a) for a in arrays]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        value = function(*tensors)
    found = tape.gradient(value, tensors)
    for i, (array, gradient) in enumerate(zip(arrays, found, strict=True)):
        direction = np.random.RandomState(i).standard_normal(array.shape).astype(np.float32)
        ends = [function(*[tf.constant(a + step * direction if j == i else a) for j, a in enumerate(arrays)])
                for step in (-1e-3, 1e-3)]
        expected = float(ends[1] - ends[0]) / 2e-3
        np.testing.assert_allclose(float(np.sum(gradient * direction)), expected, rtol=2e-2, atol=2e-2)


def test_the_layout_as_bytes():
    y = tf.compat.v1.nn.fused_batch_norm(tf.constant(X), SCALE, MEAN, data_format=b"NHWC")[0]
    np.testing.assert_array_equal(y, tf.compat.v1.nn.fused_batch_norm(tf.constant(X), SCALE, MEAN)[0])


def test_no_averaging_factor_is_one():
    """As the layer of Keras 2 gives it in a graph."""
    images, ones = tf.reshape(tf.range(6.0), [1, 1, 2, 3]), tf.ones([3])
    given = [
        tf.compat.v1.nn.fused_batch_norm(images, ones, ones, ones, ones, exponential_avg_factor=factor)
        for factor in (None, 1.0)
    ]
    np.testing.assert_array_equal(*(np.stack([*y.numpy().ravel(), *m.numpy(), *v.numpy()]) for y, m, v in given))
