"""Composite tensors as scalars of the dtype variant."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops.structured import composite_tensor_ops

to_variant, from_variant = (
    composite_tensor_ops.composite_tensor_to_variants, composite_tensor_ops.composite_tensor_from_variant
)


def test_a_ragged_tensor_there_and_back():
    ragged = tf.ragged.constant([[1, 2], [3]])
    variant = to_variant(ragged)
    assert variant.dtype == tf.variant and variant.shape == ()
    assert from_variant(variant, ragged._type_spec).to_list() == [[1, 2], [3]]
    assert tf.function(lambda x: from_variant(to_variant(x), x._type_spec))(ragged).to_list() == [[1, 2], [3]]


def test_gradients_pass_through_the_variant():
    ragged = tf.ragged.constant([[1.0, 2.0], [3.0]])
    with tf.GradientTape() as tape:
        tape.watch(ragged.values)
        back = from_variant(to_variant(ragged * 2.0), ragged._type_spec)
        y = back.values * tf.range(3.0)
    assert tape.gradient(y, ragged.values).numpy().tolist() == [0.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (
            tf.SparseTensorSpec([None, None], tf.int32),
            r"Expected a SPARSE_TENSOR_SPEC \(based on `type_spec`\), but `encoded` contains",
        ),
        (
            tf.RaggedTensorSpec([None, None, None], tf.int32),
            "Encoded value has 2 tensor components; expected 3 components",
        ),
        (
            tf.RaggedTensorSpec([None, None], tf.float32),
            "Tensor component 0 had dtype DT_INT32; expected dtype DT_FLOAT",
        ),
    ],
)  # fmt: skip
def test_another_type_is_refused(spec, words):
    variant = to_variant(tf.ragged.constant([[1]]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        from_variant(variant, spec)


def test_what_is_no_composite_tensor_is_refused():
    with pytest.raises(TypeError, match="Expected `value` to be a CompositeTensor"):
        to_variant(5)
    with pytest.raises(ValueError, match="is not compatible with `value`"):
        to_variant(tf.ragged.constant([[1]]), tf.RaggedTensorSpec([None, None, None], tf.int32))
    with pytest.raises(TypeError, match="Expected `encoded` to be a Tensor"):
        from_variant(5, tf.RaggedTensorSpec([None, None], tf.int32))
    empty = tf.raw_ops.EmptyTensorList(element_dtype=tf.int32, element_shape=[1], max_num_elements=1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not a valid CompositeTensorVariant tensor"):
        tf.raw_ops.CompositeTensorVariantToComponents(encoded=empty, metadata="", Tcomponents=[tf.int32])
