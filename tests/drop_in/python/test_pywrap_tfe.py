"""Facts about the runtime."""

import pytest

import reflow as tf
from reflow.drop_in.python import pywrap_tfe


def test_there_are_no_pluggable_devices():
    assert pywrap_tfe.TF_ListPluggablePhysicalDevices() == []


def test_sizes_of_one_dimension():
    x, y = tf.zeros([3, 2]), tf.zeros([4])
    assert pywrap_tfe.TFE_Py_TensorShapeSlice([x, y], 0).numpy().tolist() == [3, 4]
    with pytest.raises(IndexError, match="tensor at index 1 has rank 1"):
        pywrap_tfe.TFE_Py_TensorShapeSlice((x, y), 1)
    for wrong in (([x, 2], 0), (x, 0)):
        with pytest.raises(TypeError, match="list"):
            pywrap_tfe.TFE_Py_TensorShapeSlice(*wrong)
    with pytest.raises(ValueError, match="non-negative"):
        pywrap_tfe.TFE_Py_TensorShapeSlice([x], -1)
