"""`prefetch` under TensorFlow's private name."""

import pytest

import reflow as tf
from reflow.drop_in.python.data.ops.prefetch_op import _PrefetchDataset


@pytest.mark.parametrize("size", [None, -1, 0, 3])
def test_elements_stay(size):
    dataset = _PrefetchDataset(tf.data.Dataset.range(5), size, slack_period=2)
    assert [int(x) for x in dataset] == [0, 1, 2, 3, 4]
    assert dataset._variant_tensor._value.recipe.attrs["slack_period"] == 2
