"""Images turned and moved."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib


def test_images_are_turned_and_moved():
    image = np.arange(9, dtype=np.float32).reshape(3, 3)
    np.testing.assert_allclose(contrib.image.rotate(tf.constant(image), np.pi / 2), np.rot90(image), atol=1e-4)
    np.testing.assert_allclose(
        contrib.image.translate(tf.constant(image), [1.0, 0.0]), [[0, 0, 1], [0, 3, 4], [0, 6, 7]]
    )
    batch = tf.constant(np.stack([image, image])[..., None])
    turned = contrib.image.rotate(batch, [0.0, np.pi], interpolation="BILINEAR")
    np.testing.assert_allclose(turned[..., 0], [image, image[::-1, ::-1]], atol=1e-4)
    assert contrib.image.transform(batch, [1.0, 0, 0, 0, 1, 0, 0, 0], output_shape=[2, 2]).shape == [2, 2, 2, 1]
    with pytest.raises(ValueError, match="interpolation must be one of"):
        contrib.image.rotate(batch, 0.0, interpolation="CUBIC")
    with pytest.raises(TypeError, match="rank between 2 and 4"):
        contrib.image.transform(tf.zeros([3]), [1.0, 0, 0, 0, 1, 0, 0, 0])
