"""Dtypes beyond what `expressions/dtypes.txt` shows."""

import pytest

import reflow as tf


@pytest.mark.parametrize("dtype", [tf.float32, tf.string, tf.bfloat16, tf.resource], ids=str)
def test_a_dtype_is_not_taken_for_a_tensor(dtype):
    """Programs tell tensors by `hasattr(x, "numpy")`."""
    assert not hasattr(dtype, "numpy") and not hasattr(dtype, "shape")
