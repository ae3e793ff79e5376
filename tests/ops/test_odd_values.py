"""Values at the edge of what ops are made for: what TensorFlow answers, found by `make attack` beside it."""

import numpy as np
import pytest

import reflow as tf

raw = tf.raw_ops
NAN, INF = float("nan"), float("inf")


def both(op, *inputs):
    """What an op gives eagerly, and that a function gives the same at its second call."""
    function = tf.function(op)
    function(*inputs)
    found = op(*inputs)
    for mine, compiled in zip(tf.nest.flatten(found), tf.nest.flatten(function(*inputs)), strict=True):
        np.testing.assert_array_equal(mine, compiled)
    return found


def test_shifts_by_more_places_than_there_are_and_by_fewer_than_none():
    x = tf.constant([1, -1, -6, 5], tf.int64)
    for by, left, right in (
        (63, [-(2**63), -(2**63), 0, -(2**63)], [0, -1, -1, 0]),
        (64, [-(2**63), -(2**63), 0, -(2**63)], [0, -1, -1, 0]),
        (-1, [1, -1, -6, 5], [1, -1, -6, 5]),
    ):
        y = tf.fill([4], tf.constant(by, tf.int64))
        assert both(tf.bitwise.left_shift, x, y).numpy().tolist() == left
        assert both(tf.bitwise.right_shift, x, y).numpy().tolist() == right
    x, y = tf.constant([1, 255, 7], tf.uint8), tf.constant([200, 8, 7], tf.uint8)
    assert both(tf.bitwise.left_shift, x, y).numpy().tolist() == [128, 128, 128]
    assert both(tf.bitwise.right_shift, x, y).numpy().tolist() == [0, 1, 0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_functions_below_zero(dtype):
    x = tf.constant([-INF, -2.5, 0.0], dtype)
    for name in ("bessel_k0", "bessel_k1", "bessel_k0e", "bessel_k1e"):
        assert getattr(tf.math.special, name)(x).numpy().tolist() == [INF] * 3
    assert tf.math.special.bessel_y0(x).numpy().tolist() == [-INF] * 3
    assert tf.math.special.bessel_y1(x)[:2].numpy().tolist() == [-INF] * 2
    np.testing.assert_array_equal(tf.math.special.expint(tf.constant([-1.0, INF, 0.0], dtype)), [NAN, NAN, -INF])


@pytest.mark.parametrize("numbers, ends, range_, small", [
    ([-799, -500], (-594459.2, 594459.2), [-0.22103807, -0.1382699], [0, 255]),
    ([-(2**31), 2**31 - 1], (-9.0, -5.0), [-9.0, -5.0], [0, 255]),
    ([799, 500], (-594459.2, 594459.2), [0.0, 0.22131489], [255, 159]),
])
def test_the_range_that_quantized_integers_use_may_end_below_zero(numbers, ends, range_, small):
    q = tf.bitcast(tf.constant(numbers, tf.int32), tf.qint32)
    np.testing.assert_allclose(raw.RequantizationRange(input=q, input_min=ends[0], input_max=ends[1]), range_, 1e-6)
    out, *found = raw.QuantizeDownAndShrinkRange(input=q, input_min=ends[0], input_max=ends[1], out_type=tf.quint8)
    assert tf.bitcast(out, tf.uint8).numpy().tolist() == small
    np.testing.assert_allclose(found, range_, 1e-6)


def test_identities_of_several_dtypes_keep_quantized_ones():
    x = [tf.constant(1.0), tf.bitcast(tf.constant([3], tf.int32), tf.qint32), tf.constant(2)]
    for function in (tf.identity_n, tf.function(tf.identity_n)):
        assert [t.dtype for t in function(x)] == [tf.float32, tf.qint32, tf.int32]


def test_a_range_to_infinity_begins_where_it_begins():
    np.testing.assert_array_equal(both(lambda: tf.linspace(2.0, INF, 4)), [2.0, INF, INF, INF])
    np.testing.assert_array_equal(both(lambda: tf.linspace(1.0, 3.0, 3)), [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(both(lambda: tf.linspace(1.0, 3.0, 2)), [1.0, 3.0])


def test_an_infinite_cotangent_of_a_pool_reaches_the_largest_element_alone():
    x = tf.reshape(tf.range(4.0), [1, 2, 2, 1])

    def gradient(x, g):
        y = tf.nn.max_pool2d(x, 2, 2, "VALID")
        return raw.MaxPoolGrad(
            orig_input=x, orig_output=y, grad=g, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID"
        )

    assert both(gradient, x, tf.fill([1, 1, 1, 1], INF)).numpy().ravel().tolist() == [0.0, 0.0, 0.0, INF]


@pytest.mark.parametrize("shape", [[], [1], [3, 1], [1, 1]])
def test_one_logit_for_all_classes(shape):
    """It is taken for each of them: they are equally probable."""
    labels = tf.constant(np.random.default_rng(0).random((3, 4)), tf.float32)
    logits = tf.constant(np.random.default_rng(1).standard_normal(shape), tf.float32)
    loss, backprop = both(lambda x, y: tuple(raw.SoftmaxCrossEntropyWithLogits(features=x, labels=y)), logits, labels)
    np.testing.assert_allclose(loss, tf.reduce_sum(labels, 1) * np.log(4), 1e-6)
    np.testing.assert_allclose(backprop, 0.25 - labels, 1e-6)
    with tf.GradientTape() as tape:
        tape.watch([logits, labels])
        loss = raw.SoftmaxCrossEntropyWithLogits(features=logits, labels=labels)[0]
    of_logits, of_labels = tape.gradient(loss, [logits, labels])
    assert of_logits.shape == logits.shape
    np.testing.assert_allclose(of_labels, np.full([3, 4], np.log(4)), 1e-6)


@pytest.mark.parametrize("centered, normalized, offset, first", [
    (True, False, (0.0, 0.0), (1, 1)), (True, False, (-2.0, 0.0), (0, 1)), (True, True, (0.0, 0.0), (1, 1)),
    (False, False, (2.0, 1.0), (1, 0)), (False, True, (0.5, 0.25), (1, 0)),
])
def test_the_older_glimpse_has_its_middle_at_the_offset(centered, normalized, offset, first):
    image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    how = {"centered": centered, "normalized": normalized, "uniform_noise": False, "noise": "zero"}
    found = raw.ExtractGlimpse(input=image, size=[2, 2], offsets=[offset], **how)
    y, x = first
    np.testing.assert_array_equal(found, image[:, y : y + 2, x : x + 2])


def test_boxes_that_are_no_numbers():
    """The newer ops drop what they overlap with, the older ones keep it."""
    boxes, scores = tf.fill([4, 4], NAN), tf.constant([0.9, 0.75, 0.6, 0.95])
    given = {"boxes": boxes, "scores": scores, "max_output_size": 3, "iou_threshold": 0.5}
    assert raw.NonMaxSuppression(**given).numpy().tolist() == [3, 0, 1]
    assert raw.NonMaxSuppressionV2(**given).numpy().tolist() == [3, 0, 1]
    assert raw.NonMaxSuppressionV3(**given, score_threshold=0.0).numpy().tolist() == [3]
    given["boxes"] = tf.constant([[0.0, 0.0, 1.0, NAN]] * 4)  # of no area
    assert raw.NonMaxSuppressionV3(**given, score_threshold=0.0).numpy().tolist() == [3, 0, 1]


def test_the_conjugate_of_truth_values_is_of_truth_values():
    x = tf.constant([[True, False, True]])
    assert both(lambda x: raw.ConjugateTranspose(x=x, perm=[1, 0]), x).numpy().tolist() == [[True], [False], [True]]


def test_ngrams_of_nothing():
    facts = {
        "separator": "-", "ngram_widths": [2], "left_pad": "L", "right_pad": "R", "pad_width": 1,
        "preserve_short_sequences": True,
    }
    found = raw.StringNGrams(data=tf.zeros([0], tf.string), data_splits=tf.constant([0, 0], tf.int64), **facts)
    assert [part.numpy().tolist() for part in found] == [[], [0, 0]]


def test_maps_and_lines_of_one_name_are_two_staging_areas():
    raw.Stage(values=[tf.constant(1.0)], shared_name="odd")
    raw.MapStage(
        key=tf.constant(1, tf.int64), indices=[0], values=[tf.constant(2.0)], dtypes=[tf.float32], shared_name="odd"
    )
    assert int(raw.StageSize(dtypes=[tf.float32], shared_name="odd")) == 1
    assert int(raw.MapSize(dtypes=[tf.float32], shared_name="odd")) == 1
