"""`tf.image`: quality, stateless changes, boxes. Values, dtypes, errors and gradients are TensorFlow's (`image_cases.py`)."""

import numpy as np
import pytest

import reflow as tf
from tests.api.image import image_cases as cases
from tests.ops.golden import Reader

GOLDEN = Reader("image")
#: a rounded factor times values up to 1, through two colour spaces
CLOSE = {"rtol": 2e-5, "atol": 2e-6}


def same(tensors, key):
    """Dtypes and values are those recorded; integers may not differ at all."""
    tensors, recorded = cases.flat(tensors), GOLDEN.records[key]
    assert len(tensors) == len(recorded)
    for tensor, place in zip(tensors, recorded, strict=True):
        dtype, expected = GOLDEN.array(place)
        assert tensor.dtype.name == dtype
        assert tensor.shape == expected.shape
        if tensor.dtype.is_floating:
            np.testing.assert_allclose(tensor.numpy(), expected, **CLOSE)
        else:
            np.testing.assert_array_equal(tensor.numpy(), expected)


@pytest.mark.parametrize("name", cases.VALUES)
def test_values(name):
    same(cases.VALUES[name](tf), name)


#: these take only NumPy arrays, which a trace holds as constants: nothing of them would be unknown
@pytest.mark.parametrize("name", [n for n in cases.VALUES if n.endswith(("(1, 2)", "tiles", "psnr", "gradients"))])
def test_in_a_function(name):
    same(tf.function(lambda: cases.VALUES[name](tf))(), name)


@pytest.mark.parametrize("name", [key[9:] for key in GOLDEN.records if key.startswith("gradient ")])
def test_gradients(name):
    same(cases.gradients(tf)[name], f"gradient {name}")


@pytest.mark.parametrize("name", cases.ERRORS)
def test_errors(name):
    kind, text = GOLDEN.records[f"error {name}"]
    with pytest.raises(Exception) as raised:
        cases.ERRORS[name](tf)
    assert type(raised.value).__name__ == kind
    first = text.split("\n")[0]
    assert (first.split("data: ")[-1] if kind == "InvalidArgumentError" else first).strip("b'") in str(raised.value)


# --- sizes that are not known while a function is traced ---------------------------------------------------------------

ANY = tf.TensorSpec([None, None, None, 3])


def traced(function, *specs):
    return tf.function(function, input_signature=list(specs or (ANY,)))


def test_quality_of_unknown_sizes():
    pairs = traced(lambda a, b: [tf.image.psnr(a, b, 1.0)], ANY, ANY)
    np.testing.assert_allclose(pairs(cases.A, cases.B)[0], tf.image.psnr(cases.A, cases.B, 1.0), rtol=1e-6)
    with pytest.raises(tf.errors.InvalidArgumentError):
        pairs(cases.A, cases.B[:, :1])
    variation = traced(tf.image.total_variation)
    np.testing.assert_allclose(variation(cases.A), tf.image.total_variation(cases.A), rtol=1e-6)
    dy, _ = traced(tf.image.image_gradients)(cases.A)
    np.testing.assert_array_equal(dy, tf.image.image_gradients(cases.A)[0])
    yuv = traced(tf.image.rgb_to_yuv)
    assert yuv.get_concrete_function().output_shapes.as_list() == [None, None, None, 3]


def test_multiscale_of_unknown_sizes():
    unknown = tf.TensorSpec([None, None, None, None])
    f = traced(lambda a, b: tf.image.ssim_multiscale(a, b, 1.0, (0.3, 0.3, 0.4), filter_size=5), unknown, unknown)
    same(f(cases.LARGE_A, cases.LARGE_B), "ssim_multiscale")
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(cases.LARGE_A[:, :9], cases.LARGE_B[:, :9])


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


# --- what is random, or goes through files -----------------------------------------------------------------------------


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


def test_jpeg_quality():
    y, x = np.mgrid[:24, :32]
    smooth = tf.constant(np.stack([x * 4, y * 5, x + y], -1).astype(np.uint8))
    losses = [float(tf.image.psnr(smooth, tf.image.adjust_jpeg_quality(smooth, q), 255)) for q in (5, 50, 95)]
    assert losses == sorted(losses) and losses[0] < 30 < losses[2]
    f = traced(
        lambda p, q: tf.image.adjust_jpeg_quality(p, q), tf.TensorSpec([None, None, 3]), tf.TensorSpec([], tf.int32)
    )
    floats = tf.image.convert_image_dtype(smooth, tf.float32)
    np.testing.assert_array_equal(f(floats, 30), tf.image.adjust_jpeg_quality(floats, 30))
    drawn = tf.random.stateless_uniform([], (1, 2), 10, 90, tf.int32)
    np.testing.assert_array_equal(
        tf.image.stateless_random_jpeg_quality(smooth, 10, 90, seed=(1, 2)), tf.image.adjust_jpeg_quality(smooth, drawn)
    )
    assert tf.image.random_jpeg_quality(smooth, 10, 90).dtype == tf.uint8


def test_part_of_a_jpeg_file():
    file = tf.io.encode_jpeg(cases.BYTES)
    np.testing.assert_array_equal(tf.image.decode_and_crop_jpeg(file, [1, 2, 3, 4]), tf.io.decode_jpeg(file)[1:4, 2:6])
    for window in ([0, 0, 9, 2], [0, 0, 0, 2], [0, -1, 2, 2], [0, 0, 2]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="crop"):
            tf.io.decode_and_crop_jpeg(file, window)
