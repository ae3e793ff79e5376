"""Names of devices."""

import pytest

from reflow.drop_in.python.framework import device


def test_names():
    assert device.canonical_name("/job:a/cpu:0") == "/job:a/device:CPU:0" and device.canonical_name(None) == ""
    assert device.merge_device("/job:a/cpu:1")("/device:GPU:0") == "/job:a/device:GPU:0"
    with pytest.raises(ValueError):
        device.check_valid("/nonsense:a:b")
