"""Names of devices."""

import types

import pytest

from reflow.drop_in.python.framework import device


def test_names():
    assert device.canonical_name("/job:a/cpu:0") == "/job:a/device:CPU:0" and device.canonical_name(None) == ""
    assert device.merge_device("/job:a/cpu:1")("/device:GPU:0") == "/job:a/device:GPU:0"
    with pytest.raises(ValueError):
        device.check_valid("/nonsense:a:b")


def test_devices_of_nodes_are_merged():
    node = types.SimpleNamespace(device="/job:w")
    merge = device.MergeDevice("/gpu:1")
    assert merge(node).to_string() == merge.shortcut_string_merge(node) == "/job:w/device:GPU:1"
    assert device.MergeDevice("").is_null_merge and not merge.is_null_merge and "GPU:1" in repr(merge)
