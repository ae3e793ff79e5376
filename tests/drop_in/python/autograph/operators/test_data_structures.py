"""New lists of tensors: elements of several types are allowed in a tensor list, not in an array."""

import pytest

import reflow as tf
from reflow.drop_in.python.autograph.operators import data_structures


def test_elements_and_what_was_said_of_them_agree():
    assert data_structures.tf_tensor_array_new([3, 4]).stack().numpy().tolist() == [3, 4]
    with tf.Graph().as_default():
        assert data_structures.tf_tensor_list_new([3, 4.0]).dtype is tf.variant
    with pytest.raises(ValueError, match="same dtype"):
        data_structures.tf_tensor_array_new([3, 4.0])
    with pytest.raises(ValueError, match="incompatible dtype"):
        data_structures.tf_tensor_list_new([3, 4], element_dtype=tf.float32)
    with pytest.raises(ValueError, match="dtype is required"):
        data_structures.tf_tensor_array_new([])
