"""`tf.image`: boxes that are chosen, cropped, drawn."""

import numpy as np
import pytest

import reflow as tf
from tests.api.image import image_cases as cases
from tests.api.image.pictures import ANY, GOLDEN, traced


def test_chosen_boxes_of_unknown_number():
    boxes, scores = tf.TensorSpec([None, None, 4]), tf.TensorSpec([None, None])
    f = traced(
        lambda b, s, n: tf.image.non_max_suppression_padded(b, s, n, pad_to_max_output_size=True, tile_size=8),
        boxes,
        scores,
        tf.TensorSpec([], tf.int32),
    )
    indices, counts = f(cases.BOXES, cases.SCORES, 30)
    expected = [GOLDEN.array(place)[1] for place in GOLDEN.records["non_max_suppression_padded tiles"][:2]]
    np.testing.assert_array_equal(indices, expected[0])
    np.testing.assert_array_equal(counts, expected[1])
    one = traced(
        lambda b, s: tf.gather(b, tf.image.non_max_suppression(b, s, 5)),
        tf.TensorSpec([None, 4]),
        tf.TensorSpec([None]),
    )
    assert one(cases.BOXES[0], cases.SCORES[0]).shape == [5, 4]


def test_crop_and_resize_compiled():
    def crop(x, b):
        return tf.image.crop_and_resize(x, b, [0, 1], [3, 2])

    boxes = cases.BOXES[0, :2]
    compiled = tf.function(crop, jit_compile=True)
    np.testing.assert_allclose(compiled(cases.A, boxes), crop(cases.A, boxes), rtol=1e-5, atol=1e-6)
    f = traced(crop, ANY, tf.TensorSpec([None, 4]))
    assert f.get_concrete_function().output_shapes.as_list() == [2, 3, 2, 3]
    x, b = tf.constant(cases.A), tf.constant(boxes)
    with tf.GradientTape() as tape:
        tape.watch([x, b])
        y = tf.reduce_sum(f(x, b) ** 2)
    for gradient, near in zip(tape.gradient(y, [x, b]), (x, b), strict=True):
        direction = np.random.RandomState(0).randn(*near.shape).astype(np.float32) * 1e-3
        ends = [
            tf.reduce_sum(
                crop(x + (sign * direction if near is x else 0), b + (sign * direction if near is b else 0)) ** 2
            )
            for sign in (1, -1)
        ]
        np.testing.assert_allclose(float(ends[0] - ends[1]) / 2, np.sum(gradient * direction), rtol=0.02, atol=1e-5)


@pytest.mark.parametrize("noise", ["uniform", "gaussian"])
def test_noise_around_a_glimpse(noise):
    window = tf.image.extract_glimpse(cases.A, [60, 70], [[0.0, 0.0]] * 2, noise=noise).numpy()
    np.testing.assert_array_equal(window[:, 27:33, 31:38], cases.A)
    outside = window[0, :20]
    assert outside.min() >= cases.A[0].min() and outside.max() <= cases.A[0].max()
    assert (
        abs(outside.mean() - (0.5 * (cases.A[0].min() + cases.A[0].max()) if noise == "uniform" else cases.A[0].mean()))
        < 0.05
    )
    assert outside.std() > 0.2


def test_sampled_boxes_in_a_function():
    boxes = [[[0.1, 0.2, 0.5, 0.9]]]
    f = tf.function(lambda size: tf.image.stateless_sample_distorted_bounding_box(size, boxes, seed=(3, 4)))
    eager = tf.image.stateless_sample_distorted_bounding_box([50, 60, 3], boxes, seed=(3, 4))
    for a, b in zip(f(tf.constant([50, 60, 3])), eager, strict=True):
        np.testing.assert_array_equal(a, b)
    draw = tf.function(lambda: tf.image.sample_distorted_bounding_box([50, 60, 3], boxes, seed=1)[2])
    assert len({tuple(draw().numpy().ravel()) for _ in range(6)}) > 1
    picture = tf.ones([50, 60, 3])
    assert tf.slice(picture, eager[0], eager[1]).shape[-1] == 3


def test_arrays_of_any_dtype_are_boxes():
    boxes = np.array([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]])
    scores = np.array([0.7, 0.9, 0.8])
    assert boxes.dtype == scores.dtype == np.float64
    assert tf.image.non_max_suppression(boxes, scores, 3).numpy().tolist() == [1, 2]
    assert tf.image.non_max_suppression_with_scores(boxes, scores, 3)[0].numpy().tolist() == [1, 2]
    assert tf.function(lambda: tf.image.non_max_suppression(boxes, scores, 3))().numpy().tolist() == [1, 2]
    drawn = tf.image.draw_bounding_boxes(np.zeros([1, 3, 3, 1]), np.array([[[0.0, 0.0, 1.0, 1.0]]]), np.array([[0.5]]))
    assert drawn.dtype == tf.float32 and drawn.numpy().sum() == 4.0


def test_results_have_names():
    found = tf.image.combined_non_max_suppression(np.ones([1, 2, 1, 4], "f"), np.ones([1, 2, 1], "f"), 1, 2)
    assert found._fields == ("nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections")
    assert found.valid_detections.numpy().tolist() == [1]
    box = np.array([[[0.1, 0.1, 0.9, 0.9]]], "f")
    assert tf.image.sample_distorted_bounding_box([8, 8, 3], box, seed=1).bboxes.shape == [1, 1, 4]
    assert tf.image.stateless_sample_distorted_bounding_box([8, 8, 3], box, seed=[1, 2])._fields == (
        "begin", "size", "bboxes"
    )
