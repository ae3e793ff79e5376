"""What distributions are written with. Expected numbers and messages are TensorFlow's."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.ops.distributions import util


def of_unknown_shape(function):
    return tf.function(function, input_signature=[tf.TensorSpec(None)])


def test_whole_numbers():
    assert util.assert_integer_form([1.0, 2.0]) is None
    with pytest.raises(tf.errors.InvalidArgumentError, match="hm"):
        util.assert_integer_form([1.0, 2.5], message="hm")
    with pytest.raises(TypeError, match="Unrecognized type complex128"):
        util.assert_integer_form(tf.constant(1 + 2j))
    assert util.embed_check_nonnegative_integer_form([1.0, 2.0]).numpy().tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot contain fractional components"):
        util.embed_check_nonnegative_integer_form([1.0, 2.1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be non-negative"):
        util.embed_check_nonnegative_integer_form([1, -2])


@pytest.mark.parametrize(
    ("x", "target", "positive", "message"),
    [
        ([1.0, 2.5], tf.int32, True, "int32-equivalent"),
        ([1, -2], tf.int64, True, "must be non-negative"),
        ([1, 300], tf.int8, True, "cannot exceed 127"),
        ([1, -300], tf.int8, False, "cannot be smaller than -127"),
    ],
)
def test_casts_that_lose_numbers(x, target, positive, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        util.embed_check_integer_casting_closed(x, target, positive)
    assert util.embed_check_integer_casting_closed([1.0, 2.0], tf.int32).numpy().tolist() == [1, 2]
    with pytest.raises(TypeError, match="must be integer-type"):
        util.embed_check_integer_casting_closed([1.0], tf.float64)


def test_shapes_are_compared():
    pairs = [([1, 2], [3, 4]), ([1, 2], [3]), ([1, 2], [[3, 4]]), (1, [[3, 4]]), (1, 2)]
    assert [bool(util.same_dynamic_shape(a, b)) for a, b in pairs] == [True, False, False, False, True]
    assert bool(of_unknown_shape(lambda x: util.same_dynamic_shape(x, [1.0, 2.0]))(tf.ones([2])))
    util.assert_symmetric(tf.constant([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        util.assert_symmetric(tf.constant([[1.0, 2.0], [3.0, 1.0]]))


def test_logits_and_chances():
    logits, probs = util.get_logits_and_probs(probs=[0.2, 0.7])
    np.testing.assert_allclose(logits, [-1.38629, 0.8473], rtol=1e-4)
    np.testing.assert_allclose(util.get_logits_and_probs(logits=logits)[1], probs, rtol=1e-5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not sum to 1"):
        util.get_logits_and_probs(probs=[0.2, 0.7], multidimensional=True, validate_args=True)
    with pytest.raises(ValueError, match="at least 2 events"):
        util.get_logits_and_probs(logits=[[0.2]], multidimensional=True, validate_args=True)
    with pytest.raises(ValueError, match="cannot exceed 2048"):
        util.embed_check_categorical_event_shape(tf.ones([2100], tf.float16))
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least 2 events"):
        of_unknown_shape(util.embed_check_categorical_event_shape)(tf.ones([1]))


def test_triangles():
    assert util.fill_triangular([1, 2, 3, 4, 5, 6]).numpy().tolist() == [[4, 0, 0], [6, 5, 0], [3, 2, 1]]
    assert util.fill_triangular([1, 2, 3, 4, 5, 6], True).numpy().tolist() == [[1, 2, 3], [0, 5, 6], [0, 0, 4]]
    for upper in (False, True):
        back = of_unknown_shape(lambda x, up=upper: util.fill_triangular_inverse(util.fill_triangular(x, up), up))
        assert back(tf.range(12.0)[:6]).numpy().tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(ValueError, match="does not correspond to a triangular matrix"):
        util.fill_triangular([1, 2, 3, 4, 5])
    assert util.tridiag([1, 2], [3, 4, 5], [6, 7]).numpy().tolist() == [[3, 6, 0], [1, 4, 7], [0, 2, 5]]
    with pytest.raises(ValueError, match="at least one of"):
        util.tridiag()


def test_turned_axes_and_chosen_vectors():
    x = tf.ones([2, 3, 4])
    for shift, shape in ((1, (4, 2, 3)), (-1, (3, 4, 2)), (-5, (4, 2, 3)), (3, (2, 3, 4))):
        assert tuple(util.rotate_transpose(x, shift).shape) == shape
        assert tuple(of_unknown_shape(lambda x, by=shift: util.rotate_transpose(x, by))(x).shape) == shape
    assert util.pick_vector(True, [1, 2], [3]) == [1, 2]
    for sign, picked in ((1.0, [1, 2]), (-1.0, [3])):
        found = of_unknown_shape(lambda x: util.pick_vector(x[0] > 0, [1, 2], [3]))(tf.constant([sign]))
        assert found.numpy().tolist() == picked


def test_static_values():
    assert util.prefer_static_broadcast_shape([2, 1], tf.TensorShape([1, 3])) == [2, 3]
    found = of_unknown_shape(lambda x: util.prefer_static_broadcast_shape(tf.shape(x), [1, 3]))(tf.ones([2, 1]))
    assert found.numpy().tolist() == [2, 3]
    assert (
        isinstance(util.prefer_static_rank(tf.ones([2])), (np.ndarray, np.generic))
        and util.dimension_size(tf.ones([2, 3]), -1) == 3
    )
    assert (
        util.maybe_get_static_value([1, 2], np.float32).dtype == np.float32
        and util.maybe_get_static_value(None) is None
    )
    assert util.gen_new_seed(3, "a") == 1540447394


def test_sums_of_exponentials():
    total, sign = util.reduce_weighted_logsumexp(
        [[1.0, 2.0], [3.0, 4.0]], [[1.0, -2.0], [3.0, -4.0]], axis=1, return_sign=True
    )
    np.testing.assert_allclose(total, [2.48988, 5.06346], rtol=1e-5)
    assert sign.numpy().tolist() == [-1, -1]
    np.testing.assert_allclose(
        util.softplus_inverse([1e-20, 1e-3, 1.0, 5.0, 100.0]), [-46.0517, -6.90726, 0.54132, 4.99324, 100], rtol=1e-5
    )
    np.testing.assert_allclose(util.log_combinations(5.0, [2.0, 3.0]), np.log(10), rtol=1e-6)


def test_quadratures_and_padding():
    grid, weights = util.process_quadrature_grid_and_probs(([1.0, 2.0], [3.0, 1.0]), tf.float32, True)
    assert grid.numpy().tolist() == [1, 2] and weights.numpy().tolist() == [0.75, 0.25]
    with pytest.raises(ValueError, match="saw lengths 1, 2"):
        util.process_quadrature_grid_and_probs(([1.0, 2.0], [3.0]), tf.float32, True)
    assert util.pad([1, 2], 0, front=True, value=7, count=2).numpy().tolist() == [7, 7, 1, 2]
    assert of_unknown_shape(lambda x: util.pad(x, -1, True, True, 5.0))(tf.ones([2])).numpy().tolist() == [5, 1, 1, 5]
    assert util.matrix_diag_transform([[1.0, 2.0], [3.0, 4.0]], tf.square).numpy().tolist() == [[1, 2], [3, 16]]


def test_docstrings_and_arguments():
    def arguments(a, b=3, **more):
        local = a  # noqa: F841 - no argument
        return util.parent_frame_arguments()

    assert arguments(1, q=2) == {"a": 1, "b": 3, "q": 2}
    assert util.AppendDocstring("x", {"a": "b"})(lambda: 1).__doc__ == "x\n\n##### `kwargs`:\n\n*  `a`: b"
    with pytest.raises(ValueError, match="contains whitespace"):
        util.AppendDocstring("x", {"a b": "c"})


def test_a_scope_for_the_nodes():
    with tf.Graph().as_default():
        assert util.softplus_inverse(tf.constant([1.0])).op.name.startswith("softplus_inverse/")
        assert util.softplus_inverse(tf.constant([1.0]), name="mine").op.name.startswith("mine/")
