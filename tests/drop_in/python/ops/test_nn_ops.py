"""Convolutions of any rank and other functions of `nn_ops` without a public name."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.ops import nn_ops


def test_elements_by_rank_and_biases():
    assert (
        nn_ops.nth_element([3.0, 1.0, 2.0], 1).numpy() == 2
        and nn_ops.nth_element([3.0, 1.0, 2.0], 0, reverse=True).numpy() == 3
    )
    assert nn_ops.bias_add_v1(tf.ones([1, 2]), [1.0, 2.0]).numpy().tolist() == [[2, 3]]
    assert nn_ops.xw_plus_b_v1(tf.ones([1, 2]), tf.ones([2, 2]), [1.0, 2.0]).numpy().tolist() == [[3, 4]]


def test_paddings():
    assert nn_ops.convert_padding("SAME") == ("SAME", [])
    assert nn_ops.convert_padding([[0, 0], [1, 2], [3, 4], [0, 0]]) == ("EXPLICIT", [0, 0, 1, 2, 3, 4, 0, 0])
    for wrong, message in (
        ("EXPLICIT", "must be a list"), ([[0, 0], 3], "index 1 of type"), ([[0]], "index 0 of size 1"),
        ([[0, 0]], "size 4"),
    ):
        with pytest.raises(ValueError, match=message):
            nn_ops.convert_padding(wrong)


def test_convolutions():
    x, w = tf.random.stateless_normal([1, 5, 5, 2], [1, 2]), tf.random.stateless_normal([2, 2, 2, 3], [3, 4])
    made = nn_ops.Convolution(x.shape, w.shape, "SAME", dilation_rate=[2, 2])
    np.testing.assert_array_equal(made(x, w), tf.nn.convolution(x, w, padding="SAME", dilations=[2, 2]))
    np.testing.assert_array_equal(nn_ops.convolution_internal(x, w, 2), tf.nn.convolution(x, w, 2))
    with pytest.raises(ValueError, match="should equal `num_spatial_dims`"):
        nn_ops.convolution_internal(x, w, num_spatial_dims=1)


@pytest.mark.parametrize(
    ("inputs", "filters", "spatial", "message"),
    [
        ([1, 4, 4, 3], [2, 2, 2, 1], None, "not divisible"),
        (None, None, None, "must be known"),
        ([1, 4, 1], [2, 2, 1, 1], None, "must be >= than"),
        ([1, 4, 4, 1], [2, 2, 1, 1], 1, "must be `num_spatial_dims"),
    ],
)
def test_shapes_that_do_not_fit(inputs, filters, spatial, message):
    with pytest.raises(ValueError, match=message):
        nn_ops.Convolution(inputs, filters, "SAME", num_spatial_dims=spatial)
