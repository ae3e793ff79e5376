"""Ragged tensors as variants and back, and shapes that become known later. The expectations are TensorFlow's."""

import pytest

import reflow as tf


@pytest.fixture
def ragged():
    return tf.ragged.constant([[[0], [1, 2]], [], [[5]]])


def test_there_and_back(ragged):
    whole, rows = ragged._to_variant(), ragged._to_variant(batched_input=True)
    assert (whole.shape.as_list(), rows.shape.as_list(), whole.dtype) == ([], [3], tf.variant)
    back = tf.RaggedTensor._from_variant
    assert back(whole, tf.int32, 2).to_list() == back(rows, tf.int32, 2).to_list() == ragged.to_list()
    assert back(tf.stack([whole, whole]), tf.int32, 3).to_list() == [ragged.to_list()] * 2


def test_what_does_not_fit(ragged):
    back, rows = tf.RaggedTensor._from_variant, ragged._to_variant(batched_input=True)
    with pytest.raises(ValueError, match=r"must be equal to `input_ragged_rank` \+ `variant.shape.ndims` \(1 \+ 1\)"):
        back(rows, tf.int32, 3, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected values Tensor dtype: float, found: int32"):
        back(rows, tf.float32, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected row_splits Tensor dtype: int32, found: int64"):
        back(rows, tf.int32, 2, row_splits_dtype=tf.int32)


@pytest.mark.parametrize(("spec", "shape", "found", "inner"), [
    (([None] * 4, 2), [3, None, 4, 5], [3, None, 4, 5], [None, 5]),
    (([None, None], 1), [2, 3], [2, 3], [None]),
    (([None, None], 1), None, [None, None], [None]),
    (([None, None, 2], 1), [4, None, 2], [4, None, 2], [None, 2]),
])
def test_shapes_that_become_known(spec, shape, found, inner):
    seen = []

    @tf.function(input_signature=[tf.RaggedTensorSpec(spec[0], tf.int32, spec[1])])
    def f(ragged):
        ragged._set_shape(shape)
        seen.append((ragged.shape.as_list(), ragged.flat_values.shape.as_list()))
        return ragged

    f.get_concrete_function()
    assert seen == [(found, inner)]


def test_another_length_than_the_known_one():
    with pytest.raises(ValueError, match=r"Inconsistent size for axis 1: 2 vs. 4"):
        tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2)._set_shape([2, 4])


def test_the_spec_of_a_loop_variable(ragged):
    assert ragged._is_eager()
    spec = ragged._shape_invariant_to_type_spec(tf.TensorShape([None] * 3))
    assert spec == tf.RaggedTensorSpec([None] * 3, tf.int32, 2)


@pytest.mark.parametrize("rows, shape", [([[1, 2], [3]], [2, None]), ([[[1, 2], [3]], [[4]]], [2, None, None])])
def test_specs_encode_values_as_variants(rows, shape):
    value, spec = tf.ragged.constant(rows), tf.RaggedTensorSpec(shape, tf.int32)
    assert spec._flat_tensor_specs == [tf.TensorSpec(None, tf.variant)]
    (encoded,) = spec._to_tensor_list(value)
    found = spec._from_tensor_list([encoded])
    assert encoded.shape == [] and found.to_list() == rows and found.shape == shape
    (encoded,) = spec._to_batched_tensor_list(value)
    row = spec._unbatch()._from_compatible_tensor_list([encoded[0]])
    assert encoded.shape == [2] and (row.to_list() if len(shape) > 2 else row.numpy().tolist()) == rows[0]


def test_specs_without_ragged_axes_encode_tensors():
    spec = tf.RaggedTensorSpec([1, 1], tf.int32, 0)
    (encoded,) = spec._to_tensor_list(tf.constant([[7]]))
    assert encoded.shape == [] and spec._from_tensor_list([encoded]).numpy().tolist() == [[7]]


def test_values_of_other_specs_are_refused():
    spec, rows = tf.RaggedTensorSpec([2, None, None], tf.int32), tf.ragged.constant([[1, 2], [3]])
    with pytest.raises(ValueError, match="Ragged rank of value 1 does not match ragged rank of type 2"):
        spec._to_tensor_list(rows)
    with pytest.raises(ValueError, match="Expected a RaggedTensor if ragged rank=2 but got EagerTensor"):
        spec._to_batched_tensor_list(tf.constant([[[1]]]))
    with pytest.raises(ValueError, match="the TypeSpec expects 1 items, but the provided tensor list has 2 items"):
        spec._from_tensor_list([1, 2])
