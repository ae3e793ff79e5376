"""Where windows lie."""

import numpy as np

import reflow as tf
from reflow.onnx.operators.windows import Windows, patches

GEOMETRY = Windows(kernel=[3], strides=[2], dilations=[2], pads=[(1, 1)])


def test_a_dilated_window_reaches_over_its_gaps():
    assert GEOMETRY.span == [5]
    assert GEOMETRY.lengths([7]) == [3]
    np.testing.assert_array_equal(GEOMETRY.cells([7])[0], [[-1, 1, 3], [1, 3, 5], [3, 5, 7]])


def test_patches_hold_what_each_window_sees_with_the_fill_outside():
    seen = patches(tf.reshape(tf.range(7.0), [1, 1, 7]), GEOMETRY, [7], -1)
    np.testing.assert_array_equal(seen[0, 0], [[-1, 1, 3], [1, 3, 5], [3, 5, -1]])
