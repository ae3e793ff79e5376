"""How calls of concrete functions bind their arguments."""

import pytest

import reflow as tf


@tf.function
def double(x):
    return 2.0 * x


def test_other_shapes_than_the_traced_one_are_taken_eagerly():
    concrete = double.get_concrete_function(tf.TensorSpec([1, 2], name="row"))
    for rows in (1, 3):
        assert concrete(tf.ones([rows, 2])).numpy().tolist() == [[2.0, 2.0]] * rows
        assert concrete(row=tf.ones([rows, 2])).shape == [rows, 2]


def test_python_values_of_other_shapes_are_refused():
    concrete = double.get_concrete_function(tf.TensorSpec([1, 2]))
    with pytest.raises(TypeError, match="expected argument #0.zero-based. to be a Tensor; got list"):
        concrete([[1.0, 2.0], [3.0, 4.0]])


def test_other_dtypes_are_refused():
    concrete = double.get_concrete_function(tf.TensorSpec([2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="was expected to be a float tensor but is a int32 tensor"):
        concrete(tf.constant([1, 2]))


def test_other_shapes_are_refused_in_a_graph():
    concrete = double.get_concrete_function(tf.TensorSpec([1, 2]))
    with pytest.raises(TypeError, match="not compatible with the shape this function was traced with"):
        tf.function(lambda x: concrete(x))(tf.ones([3, 2]))
    any_rows = tf.function(lambda x: concrete(x), input_signature=[tf.TensorSpec([None, 2])])
    assert any_rows(tf.ones([3, 2])).shape == [3, 2]
