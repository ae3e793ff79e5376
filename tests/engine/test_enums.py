"""TensorRT's enumerations."""

import numpy as np
import pytest

import reflow as tf
import reflow.engine as trt
from reflow.engine.enums import data_type


def test_dtypes_under_their_three_names():
    assert trt.float32 is trt.DataType.FLOAT is data_type("float32") is data_type(tf.float32)
    assert trt.nptype(trt.DataType.INT8) is np.int8 and trt.DataType.HALF.itemsize == 2
    with pytest.raises(ValueError):
        data_type("complex64")


def test_volume():
    assert trt.volume((2, 3)) == 6 and trt.volume(()) == 1


def test_names_of_the_package():
    assert all(hasattr(trt, name) for name in trt.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        trt.nothing  # noqa: B018
