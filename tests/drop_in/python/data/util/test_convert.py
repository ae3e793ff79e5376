"""Arguments of datasets as tensors."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.data.util import convert


def test_an_argument_or_its_default():
    assert (
        convert.optional_param_to_tensor("n", None, 5).numpy() == 5
        and convert.optional_param_to_tensor("n", 3).dtype == tf.int64
    )
    assert convert.optional_param_to_tensor("n", "s", "d", tf.string).numpy() == b"s"


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ([1, None], [1, -1]), ((), []), (37, [37]), (tf.TensorShape([1, 2]), [1, 2]), (tf.constant([1, 2]), [1, 2]),
        (tf.constant(1), [1]), (np.array([1, 2]), [1, 2]), ([-1, 2], [-1, 2]),
    ],
)  # fmt: skip
def test_shapes(shape, expected):
    found = convert.partial_shape_to_tensor(shape)
    assert found.dtype == tf.int64 and found.numpy().tolist() == expected


@pytest.mark.parametrize("shape", [[[1]], "a", tf.constant([[1, 2]], tf.int64), tf.constant(1.5)])
def test_what_is_no_shape(shape):
    with pytest.raises(ValueError, match="must be a 1-D tensor of `tf.int64` values, but the shape was"):
        convert.partial_shape_to_tensor(shape)
