"""Checks of the shapes of images, with TensorFlow's messages."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.images import image_ops_impl as images

v1 = tf.compat.v1


@pytest.mark.parametrize(("check", "shape", "message"), [
    (images._Check3DImage, [2], r"'image' \(shape \(2,\)\) must be three-dimensional"),
    (images._Check3DImage, [2, 2, 2, 2], "must be three-dimensional"),
    (images._Check3DImage, [0, 1, 1], "all dims of 'image.shape' must be > 0"),
    (images._CheckAtLeast3DImage, [2], "must be at least three-dimensional"),
    (images._CheckAtLeast3DImage, [3, 0, 1, 1], "inner 3 dims of 'image.shape' must be > 0"),
    (images._CheckGrayscaleImage, [2], "must be at least two-dimensional"),
    (images._CheckGrayscaleImage, [2, 2], "Last dimension of a grayscale image should be size 1"),
])
def test_known_shapes(check, shape, message):
    with pytest.raises(ValueError, match=message):
        check(tf.ones(shape))
    assert check(tf.ones([2, 3, 1])) == []


def test_shapes_of_a_graph():
    with tf.Graph().as_default(), v1.Session() as session:
        image = v1.placeholder(tf.float32)
        checked = images._Assert3DImage(image)
        assert session.run(checked, {image: [[[1.0]]]}).tolist() == [[[1.0]]]
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(checked, {image: [[]]})
        assert len(images._CheckAtLeast3DImage(image, False)) == len(images._CheckGrayscaleImage(image, False)) == 2
        partly = v1.placeholder(tf.float32, [None, None, 3])
        with pytest.raises(ValueError, match="must be fully defined"):
            images._Check3DImage(partly)
        assert images._ImageDimensions(partly, 3)[2] == 3
        assert images.fix_image_flip_shape(image, v1.placeholder(tf.float32)).shape.as_list() == [None] * 3
        assert images.fix_image_flip_shape(partly, v1.placeholder(tf.float32)).shape.as_list() == [None, None, 3]


def test_pairs():
    one, two, three = tf.ones([1, 3, 4, 1]), tf.ones([2, 3, 4, 1]), tf.ones([3, 3, 4, 1])
    assert images._is_tensor(one) and not images._is_tensor(3)
    first, second, checks = images._verify_compatible_image_shapes(one, two)
    assert (first.numpy().tolist(), second.numpy().tolist(), len(checks)) == ([1, 3, 4, 1], [2, 3, 4, 1], 2)
    with pytest.raises(ValueError, match="Two images are not compatible"):
        images._verify_compatible_image_shapes(two, three)
    with pytest.raises(ValueError, match="must have rank at least 3"):
        images._verify_compatible_image_shapes(tf.ones([2]), tf.ones([2]))
