"""`tf.debugging`: checks of dtypes and of Python types. Messages are TensorFlow's."""

import pytest

import reflow as tf


@pytest.mark.parametrize("check, error, message", [
    (lambda d: d.assert_type([1, 2], tf.float32), TypeError, "tensor must be of type tf.float32; got tf.int32"),
    (lambda d: d.assert_integer(1.0), TypeError, 'Expected "x" to be integer type.  Found: tensor of dtype <dtype: '
     '\'float32\'>'),
    (lambda d: d.assert_proper_iterable("ab"), TypeError,
     'Expected argument "values" to be a "proper" iterable.  Found: <class \'str\'>'),
    (
        lambda d: d.assert_proper_iterable(3), TypeError,
        'Expected argument "values" to be iterable.  Found: <class \'int\'>',
    ),
    (lambda d: d.assert_same_float_dtype([tf.constant(1)]), ValueError,
     "Expected floating point type, got <dtype: 'int32'>."),
])
def test_failed_types(check, error, message):
    with pytest.raises(error) as caught:
        check(tf.debugging)
    assert str(caught.value) == message


def test_what_holds_is_silent():
    d = tf.debugging
    assert d.assert_same_float_dtype([tf.constant(1.0)]) is tf.float32
    assert (
        d.is_numeric_tensor(tf.constant(1)) and not d.is_numeric_tensor([1])
        and not d.is_numeric_tensor(tf.constant("a"))
    )
