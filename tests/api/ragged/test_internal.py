import numpy as np
import pytest

import reflow as tf
from reflow.api.ragged import internal


def test_ragged_values_become_ragged_tensors():
    value = tf.compat.v1.ragged.constant_value([[1, 2], [3]])
    assert internal.convert_to_tensor_or_ragged_tensor(value, tf.float32).dtype == tf.float32
    assert internal.convert_to_tensor_or_ragged_tensor(value, preferred_dtype=tf.string).to_list() == [[1, 2], [3]]
    with pytest.raises(ValueError, match="requested dtype string for RaggedTensor with dtype int32"):
        internal.convert_to_tensor_or_ragged_tensor(tf.ragged.constant([[1]]), tf.string)


def test_ranges_are_repeated():
    assert internal.repeat_ranges([1, 2, 3], [0, 2, 3], 2).numpy().tolist() == [1, 2, 1, 2, 3, 3]


def test_row_splits_of_one_type():
    a, b = tf.ragged.constant([[1]]), tf.ragged.constant([[1]], row_splits_dtype=tf.int32)
    assert internal.match_row_splits_dtypes(a, a, return_dtype=True)[0] == tf.int64
    with pytest.raises(ValueError, match="mismatched row_splits dtypes"):
        internal.match_row_splits_dtypes(a, b)


def test_a_class_that_looks_like_ours_is_ragged():
    class Rows:
        row_splits, flat_values = np.array([0, 1]), np.array([7])

        def to_list(self):
            return [[7]]

    assert internal.is_ragged(Rows()) and internal.is_ragged(tf.ragged.constant([[1]]))
    assert not internal.is_ragged([[1]]) and not internal.is_ragged(np.zeros(2))
