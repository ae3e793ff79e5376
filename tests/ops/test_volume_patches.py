"""Windows of volumes: large ones are gathered, which gives what slices give."""

import numpy as np
import pytest

import reflow as tf
from reflow.ops.kernels.image import patches


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_both_ways_give_the_same(monkeypatch, padding):
    x = np.arange(2 * 7 * 6 * 5 * 3, dtype=np.float32).reshape(2, 7, 6, 5, 3)
    window = {"ksizes": [1, 2, 3, 2, 1], "strides": [1, 2, 1, 3, 1], "padding": padding}
    sliced = tf.raw_ops.ExtractVolumePatches(input=x, **window)
    monkeypatch.setattr(patches, "_MANY_TAPS", 0)
    np.testing.assert_array_equal(tf.raw_ops.ExtractVolumePatches(input=x, **window), sliced)
