"""Row 14 of the list of bad inputs, in eager code: each mistake gets TensorFlow's class of error, the message names
what was received, and what existed before still works afterwards."""

import numpy as np
import pytest

import reflow as tf

InvalidArgument = tf.errors.InvalidArgumentError

WRONG_SHAPES = [
    (lambda: tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0]), r"\[2\] vs. \[3\]"),
    (lambda: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3])), r"\[2,3\].*\[2,3\]"),
    (lambda: tf.reshape(tf.range(6), [4]), "6 values.*4"),
    (lambda: tf.concat([tf.ones([2, 3]), tf.ones([2, 4])], 0), r"\[2,3\].*\[2,4\]"),
    (lambda: tf.nn.bias_add(tf.ones([2, 3]), tf.ones([2])), r"\[2\].*\[2,3\]"),
    (lambda: tf.gather([1, 2, 3], [5]), r"indices\[0\] = 5 is not in \[0, 3\)"),
    (lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([7], [[1.0, 2.0]]), r"7.*\[0, 2\)"),
    (lambda: tf.zeros([2])[5], "index 5 of dimension 0"),
    (lambda: tf.ensure_shape([1, 2], [3]), r"\[2\].*\[3\]"),
]


@pytest.mark.parametrize("mistake, words", WRONG_SHAPES)
def test_wrong_shapes_name_both(mistake, words):
    with pytest.raises(InvalidArgument, match=words):
        mistake()


WRONG_DTYPES = [
    (InvalidArgument, lambda: tf.constant([1]) + tf.constant([1.0]), "int32.*float"),
    (InvalidArgument, lambda: tf.matmul(tf.ones([1, 1]), tf.ones([1, 1], tf.float64)), "float.*double"),
    (InvalidArgument, lambda: tf.concat([tf.ones([1]), tf.ones([1], tf.int32)], 0), "float.*int32"),
    (InvalidArgument, lambda: tf.math.log([1]), "int32"),
    (InvalidArgument, lambda: tf.exp("a"), "string"),
    (TypeError, lambda: 1.5 + tf.constant([1]), "1.5.*int32"),
    (TypeError, lambda: tf.constant(1.5, tf.int32), "1.5.*int32"),
    (TypeError, lambda: tf.constant("a", tf.float32), "'a'.*float"),
    (ValueError, lambda: tf.constant([1, "a"]), "mixed types"),
    (ValueError, lambda: tf.constant([[1], [2, 3]]), "non-rectangular"),
    (ValueError, lambda: tf.convert_to_tensor(tf.constant(1), tf.float32), "float32.*int32"),
    (ValueError, lambda: tf.constant(None), "None"),
    (TypeError, lambda: tf.cast(1, "no such type"), "no such type"),
    (tf.errors.UnimplementedError, lambda: tf.cast("1", tf.float32), "string to float"),
]


@pytest.mark.parametrize("error, mistake, words", WRONG_DTYPES)
def test_wrong_dtypes_name_both(error, mistake, words):
    with pytest.raises(error, match=words):
        mistake()


def test_wrong_assignments_leave_the_variable():
    v = tf.Variable([1.0, 2.0], name="weights")
    for error, value in ((ValueError, [1.0]), (ValueError, tf.constant([1, 2])), (TypeError, "a"), (ValueError, None)):
        with pytest.raises(error):
            v.assign(value)
    with pytest.raises(InvalidArgument, match=r"\[2\].*\[3\]"):
        v.assign_add([1.0, 2.0, 3.0])
    with pytest.raises(InvalidArgument, match="5"):
        v.scatter_update(tf.IndexedSlices([1.0], [5]))
    with pytest.raises(RuntimeError, match="assign_add"):
        v += 1.0
    np.testing.assert_array_equal(v.numpy(), [1.0, 2.0])


def test_a_tape_used_twice():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x).numpy() == 6.0
    for again in (tape.gradient, tape.jacobian):
        with pytest.raises(RuntimeError, match="non-persistent GradientTape"):
            again(y, x)
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="still recording"), tape:
        pass
    with pytest.raises(RuntimeError):
        tf.GradientTape().gradient(y, x)


def test_none_gradients():
    """No path gives None; an optimizer that gets one says which variable, and the others are not touched."""
    x, unused = tf.Variable(3.0), tf.Variable(1.0, name="unused")
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        whole = tf.cast(x, tf.int32)
        outside = tf.constant(x.numpy() * 2.0)
    assert tape.gradient(y, unused) is None
    assert tape.gradient(whole, x) is None
    assert tape.gradient(outside, x) is None
    assert tape.gradient(y, unused, unconnected_gradients="zero").numpy() == 0.0
    with pytest.raises((ValueError, TypeError, AttributeError)):
        x.assign_sub(tape.gradient(y, unused) * 0.1)
    with pytest.raises(ValueError, match="None"):
        tf.convert_to_tensor(tape.gradient(y, unused))
    assert x.numpy() == 3.0


def test_watching_what_is_no_tensor():
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="3.0.*float"):
        tape.watch(3.0)


def test_values_where_python_needs_one():
    for error, mistake in (
        (ValueError, lambda: bool(tf.constant([1, 2]))),
        (TypeError, lambda: hash(tf.constant(1))),
        (TypeError, lambda: hash(tf.Variable(1))),
        (TypeError, lambda: len(tf.constant(1))),
        (TypeError, lambda: iter(tf.constant(1)).__next__()),
        (TypeError, lambda: int(tf.constant([1, 2]))),
        (TypeError, lambda: [1, 2][tf.constant([1])]),
    ):
        with pytest.raises(error):
            mistake()


@pytest.mark.parametrize("value, word", [(np.nan, "NaN"), (np.inf, "Inf")])
def test_check_numerics(value, word):
    with pytest.raises(InvalidArgument, match=f"the loss : Tensor had {word} values"):
        tf.debugging.check_numerics([1.0, value], "the loss")
    assert tf.debugging.check_numerics([1.0], "the loss").numpy() == 1.0


def test_enable_check_numerics():
    """Once switched on, the op that makes a NaN or an infinity fails and is named;
    in eager code, in functions and in gradients."""
    zero = tf.constant([0.0, 1.0])
    tf.debugging.enable_check_numerics()
    try:
        with pytest.raises(InvalidArgument, match="(?s)Log.*Inf"):
            tf.math.log(zero)
        with pytest.raises(InvalidArgument, match="(?s)NaN"):
            zero / 0.0 * 0.0
        with pytest.raises(InvalidArgument, match="(?s)Log"):
            tf.function(lambda x: tf.math.log(x) + 1.0)(zero)
        with tf.GradientTape() as tape:
            tape.watch(zero)
            y = tf.sqrt(zero)
        with pytest.raises(InvalidArgument, match=r"(?s)Sqrt \(its gradient\)"):
            tape.gradient(y, zero)
        np.testing.assert_allclose(tf.math.log(zero + 1.0).numpy(), [0.0, np.log(2.0)], rtol=1e-6)
    finally:
        tf.debugging.disable_check_numerics()
    assert np.isinf(tf.math.log(zero).numpy()[0])


def test_datasets_of_unequal_lengths():
    with pytest.raises(ValueError, match="Dimensions 2 and 3"):
        tf.data.Dataset.from_tensor_slices(([1, 2], [1, 2, 3]))
    with pytest.raises(InvalidArgument):
        list(tf.data.Dataset.from_generator(
            lambda: iter([[1], [1, 2]]), output_signature=tf.TensorSpec([None], tf.int32)
        ).batch(2))


def test_names_and_arguments_that_do_not_exist():
    for mistake in (
        lambda: tf.add(1),
        lambda: tf.add(1, 2, 3, 4),
        lambda: tf.reduce_sum([1], dimension=0),
        lambda: tf.raw_ops.AddV2(1, 2),
        lambda: tf.raw_ops.AddV2(x=1, y=2, z=3),
    ):
        with pytest.raises(TypeError):
            mistake()
    with pytest.raises(AttributeError, match="no_such_function"):
        _ = tf.no_such_function
    with pytest.raises(AttributeError, match="experimental_enable_numpy_behavior"):
        tf.constant([1]).reshape([1])
