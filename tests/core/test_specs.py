"""What specs have in common, and specs of loop variables that one shape describes, as in TensorFlow."""

import pytest

import reflow as tf

S = tf.TensorShape


def test_sparse_tensors():
    sparse = tf.sparse.from_dense([[1.0, 0.0]])
    assert sparse._shape_invariant_to_type_spec(S([2])) == tf.SparseTensorSpec([None, None], tf.float32)
    assert sparse._shape_invariant_to_type_spec(S(None)) == tf.SparseTensorSpec(None, tf.float32)
    with pytest.raises(ValueError, match=r"Expected a shape with 1 dimension. Obtained: \(2, 3\)"):
        sparse._shape_invariant_to_type_spec(S([2, 3]))


def test_indexed_slices():
    slices = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 1]), tf.constant([4, 3]))
    assert slices._shape_invariant_to_type_spec(S([5, None])) == tf.IndexedSlicesSpec(
        [None, None], tf.float32, tf.int32, tf.int32, [5]
    )


def test_names_of_specs():
    named = tf.TensorSpec([None, 2], name="n")
    wider = tf.TensorSpec([3, 2], name="n").most_specific_common_supertype([tf.TensorSpec([1, 2], name="n")])
    assert wider == named and wider.name == "n"
    assert named.most_specific_common_supertype([tf.TensorSpec([1, 2])]) is None
    with pytest.raises(ValueError, match="No TypeSpec is compatible with both"):
        named.most_specific_compatible_type(tf.TensorSpec([1, 2]))
