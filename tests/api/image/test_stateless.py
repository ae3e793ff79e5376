"""`tf.image.stateless_random_…`: seeds that are tensors."""

import numpy as np
import pytest

import reflow as tf
from tests.api.image import image_cases as cases
from tests.api.image.pictures import ANY, same, traced


@pytest.mark.parametrize("seed", cases.SEEDS)
def test_seeds_as_tensors(seed):
    two = tf.TensorSpec([2], tf.int32)
    flip = traced(lambda x, s: tf.image.stateless_random_flip_up_down(x, s), ANY, two)
    np.testing.assert_array_equal(flip(cases.A, seed), tf.image.stateless_random_flip_up_down(cases.A, seed))
    any_rank = traced(lambda x, s: tf.image.stateless_random_flip_left_right(x, s), tf.TensorSpec(None), two)
    for x in (cases.A, cases.A[0]):
        np.testing.assert_array_equal(any_rank(x, seed), tf.image.stateless_random_flip_left_right(x, seed))
    crop = traced(lambda x, s, n: tf.image.stateless_random_crop(x, n, s), ANY, two, tf.TensorSpec([4], tf.int32))
    same(
        [crop(cases.A, seed, [1, 3, 4, 3]), tf.image.stateless_random_crop(cases.BYTES, [2, 7, 1], seed)],
        f"stateless_random_crop {seed}",
    )
    light = traced(lambda x, s: tf.image.stateless_random_brightness(x, 0.4, s), ANY, two)
    np.testing.assert_allclose(
        light(cases.A, seed), tf.image.stateless_random_brightness(cases.A, 0.4, seed), rtol=1e-6
    )
