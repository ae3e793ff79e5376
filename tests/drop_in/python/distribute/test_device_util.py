"""`reflow/drop_in/python/distribute/device_util.py`: names of devices with all their parts.

The names are TensorFlow's.
"""

import pytest

import reflow as tf
from reflow.drop_in.python.distribute import device_util

LOCAL = "/job:localhost/replica:0/task:0"


def test_what_a_name_leaves_out():
    assert device_util.canonicalize("/cpu:0") == f"{LOCAL}/device:CPU:0"
    assert (
        device_util.canonicalize("/gpu:1", default="/job:worker/task:2") == "/job:worker/replica:0/task:2/device:GPU:1"
    )
    assert device_util.canonicalize(tf.config.list_logical_devices("CPU")[0]) == f"{LOCAL}/device:CPU:0"
    assert device_util.canonicalize_without_job_and_task("/job:worker/task:1/gpu:0") == "/replica:0/device:GPU:0"
    with tf.Graph().as_default():
        assert device_util.canonicalize("/gpu:0") == "/replica:0/task:0/device:GPU:0"
    with pytest.raises(AssertionError, match="must be all-caps"):
        device_util.canonicalize("/device:abc:0")


def test_scopes():
    with tf.device("/cpu:0"):
        assert device_util.resolve("") == f"{LOCAL}/device:CPU:0"
    with tf.Graph().as_default(), tf.device("/job:ps/task:1"), tf.device(lambda op: "/cpu:2"):
        assert device_util.current() == "/job:ps/task:1/device:CPU:2"
        assert device_util.resolve("/gpu:0") == "/job:ps/replica:0/task:1/device:GPU:0"


def test_other_devices():
    assert device_util.get_host_for_device("/job:a/replica:0/task:3/gpu:2") == "/job:a/replica:0/task:3/device:CPU:0"
    assert device_util.local_devices_from_num_gpus(2) == ("/device:GPU:0", "/device:GPU:1")
    assert device_util.local_devices_from_num_gpus(0) == ("/device:CPU:0",)
    assert device_util.get_worker_devices(["/cpu:0"]) == (f"{LOCAL}/device:CPU:0",)
