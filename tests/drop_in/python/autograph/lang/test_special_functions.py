"""Lists that converted code can keep in tensors."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.autograph.lang import special_functions


def test_lists():
    rows = [tf.constant([1, 2]), tf.constant([3, 4])]
    for array in (False, True):
        made = special_functions.tensor_list(rows, use_tensor_array=array)
        assert special_functions.stack(made, element_dtype=tf.int32).numpy().tolist() == [[1, 2], [3, 4]]
    with pytest.raises(ValueError, match="element_dtype and element_shape are required"):
        special_functions.tensor_list([])
    with pytest.raises(ValueError, match="unknown type"):
        special_functions.tensor_list(np.array([1]))


def test_what_is_no_tensor_stays():
    assert special_functions.match_staging_level(1, 2) == 1
    assert special_functions.match_staging_level(1, tf.constant(2)).numpy() == 1
    assert special_functions.stack([1, 2], strict=False) == [1, 2]
    with pytest.raises(ValueError, match="must be stackable"):
        special_functions.stack([1, 2])
