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


def test_entries_of_one_operand_alone_stay_in_a_sparse_sum_however_small():
    a = {"a_indices": [[0, 1], [1, 0], [1, 2]], "a_values": [0.3, 0.35, -1.3], "a_shape": [2, 3]}
    b = {"b_indices": [[0, 1], [0, 2], [1, 0]], "b_values": [0.1, 0.2, 0.9], "b_shape": [2, 3]}
    found = raw.SparseAdd(**a, **b, thresh=0.5)
    assert found.sum_indices.numpy().tolist() == [[0, 2], [1, 0], [1, 2]]
    np.testing.assert_allclose(found.sum_values, [0.2, 1.25, -1.3], 1e-6)


def test_a_sparse_sum_of_places_named_twice_or_outside_adds_what_meets():
    b = {"b_indices": [[0, 1], [0, 2], [1, 0]], "b_values": [10.0, 20.0, 30.0], "b_shape": [2, 3], "thresh": 0.0}
    for places, indices, values in (
        ([[0, 1], [0, 1], [1, 2]], [[0, 1], [0, 1], [0, 2], [1, 0], [1, 2]], [11, 2, 20, 30, 4]),
        ([[1, 1], [0, 1], [1, 2]], [[0, 1], [0, 2], [1, 0], [1, 1], [0, 1], [1, 2]], [10, 20, 30, 1, 2, 4]),
        ([[0, 1], [0, 2], [5, 5]], [[0, 1], [0, 2], [1, 0], [5, 5]], [11, 22, 30, 4]),
    ):
        found = raw.SparseAdd(a_indices=places, a_values=[1.0, 2.0, 4.0], a_shape=[2, 3], **b)
        assert found.sum_indices.numpy().tolist() == indices
        assert found.sum_values.numpy().tolist() == values


def test_a_sparse_maximum_of_places_named_twice_compares_what_meets():
    found = raw.SparseSparseMaximum(
        a_indices=[[0, 1], [0, 1], [1, 2]], a_values=[1.0, 2.0, 4.0], a_shape=[2, 3],
        b_indices=[[0, 1], [0, 2], [1, 0]], b_values=[10.0, -20.0, 30.0], b_shape=[2, 3],
    )
    assert found.output_indices.numpy().tolist() == [[0, 1], [0, 1], [0, 2], [1, 0], [1, 2]]
    assert found.output_values.numpy().tolist() == [10.0, 2.0, 0.0, 30.0, 4.0]


def test_a_sparse_quotient_of_integers_is_one():
    found = raw.SparseDenseCwiseDiv(sp_indices=[[0, 1], [1, 0]], sp_values=[-7, 6], sp_shape=[2, 3], dense=[[2], [4]])
    assert found.dtype == tf.int32 and found.numpy().tolist() == [-3, 1]


def test_labels_of_a_ctc_loss_are_counted_before_any_is_dropped():
    facts = {"inputs": tf.zeros([5, 1, 4]), "labels_indices": [[0, 0], [0, 1]], "sequence_length": [1]}
    for labels in ([1, 1], [1, 3]):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"\(required: 2, available: 1\)"):
            raw.CTCLoss(labels_values=labels, preprocess_collapse_repeated=True, **facts)
        loss, _ = raw.CTCLoss(
            labels_values=labels, preprocess_collapse_repeated=True, ignore_longer_outputs_than_inputs=True, **facts
        )
        assert loss.numpy().tolist() == [0.0]


@pytest.mark.parametrize("op", [raw.MatrixInverse, raw.Lu])
def test_a_matrix_with_nan_is_refused_if_it_begins_with_it(op):
    matrix = np.array([[2.0, 1.0], [1.0, 3.0]])
    for place in ((0, 1), (1, 0), (1, 1)):
        odd = matrix.copy()
        odd[place] = NAN
        assert np.isnan(tf.nest.flatten(op(input=odd))[0]).any()
    matrix[0, 0] = NAN
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible"):
        op(input=matrix)


def test_numbers_in_no_row_of_a_tridiagonal_matrix_are_not_read():
    above, main, below = [[1.0, 2.0, NAN]], [[4.0, 5.0, 6.0]], [[NAN, 7.0, 8.0]]
    found = both(lambda x: raw.TridiagonalMatMul(superdiag=above, maindiag=main, subdiag=below, rhs=x), tf.ones([3, 1]))
    assert found.numpy().tolist() == [[5.0], [14.0], [14.0]]


def test_coordinates_of_negative_indices_are_truncated():
    found = both(lambda i: raw.UnravelIndex(indices=i, dims=[3, 4]), tf.constant([-1, -5, 2]))
    assert found.numpy().tolist() == [[0, -1, 0], [-1, -1, 2]]


def test_a_crossed_hash_without_buckets_is_not_negative():
    cross = {"indices": [], "values": [], "shapes": [], "dense_inputs": [tf.constant([["a", "b"]])]}
    found = raw.SparseCrossHashed(num_buckets=-5, strong_hash=True, salt=[1, 2], **cross)
    assert (found.output_values.numpy() >= 0).all()


def test_an_overlap_of_minus_infinity_drops_a_box():
    found = raw.NonMaxSuppressionWithOverlaps(
        overlaps=tf.fill([3, 3], -INF), scores=[0.9, 0.5, 0.7], max_output_size=5, overlap_threshold=0.5,
        score_threshold=0.0,
    )
    assert found.numpy().tolist() == [0]


def test_a_list_is_made_only_of_rows_that_fit():
    function = tf.function(lambda x, shape: raw.TensorListFromTensor(tensor=x, element_shape=shape))
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Specified a list with shape \[0,7\]"):
            function(tf.ones([6, 3, 7]), tf.constant([0, 7]))
