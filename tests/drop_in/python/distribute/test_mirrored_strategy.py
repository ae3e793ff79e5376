"""`reflow/drop_in/python/distribute/mirrored_strategy.py`: values and errors recorded from TensorFlow 2.21."""

import json

import pytest

import reflow as tf
from reflow.drop_in.python.distribute import mirrored_strategy as mirrored

CLUSTER = {"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1"]}


def worker(task, device):
    return f"/job:worker/task:{task}/device:{device}"


def test_devices_of_a_cluster(monkeypatch):
    workers = ["/job:chief/task:0/device:CPU:0", worker(0, "CPU:0"), worker(1, "CPU:0")]
    assert mirrored._cluster_spec_to_device_list(tf.train.ClusterSpec(CLUSTER), 0) == workers
    assert mirrored._cluster_spec_to_device_list({"worker": ["a:1"]}, 2) == [worker(0, "GPU:0"), worker(0, "GPU:1")]
    assert mirrored.all_devices() == mirrored.all_local_devices() == tf.config.list_logical_devices("CPU")
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": CLUSTER, "task": {"type": "worker", "index": 0}}))
    assert mirrored.all_devices() == workers


def test_one_process_or_several():
    for devices in (["/gpu:0", "/gpu:1"], ["/job:localhost/device:GPU:0"], [worker(0, "GPU:0"), worker(0, "GPU:1")]):
        assert mirrored._is_device_list_single_worker(devices)
    assert not mirrored._is_device_list_single_worker([])
    with pytest.raises(ValueError, match="Devices cannot have mixed list of device strings"):
        mirrored._is_device_list_single_worker(["/cpu:0", worker(0, "CPU:0")])
    with pytest.raises(ValueError, match="Remote device string must have task specified"):
        mirrored._is_device_list_single_worker(["/job:worker/device:CPU:0"])


def test_groups_and_numbers_of_gpus():
    several = [worker(1, "GPU:0"), worker(0, "GPU:0"), "/job:chief/task:0/device:GPU:0"]
    assert mirrored._group_device_list(several) == {
        "worker": [[worker(0, "GPU:0")], [worker(1, "GPU:0")]], "chief": [["/job:chief/task:0/device:GPU:0"]]
    }
    assert mirrored._infer_num_gpus_per_worker(several) == 1 and mirrored._infer_num_gpus_per_worker([]) is None
    assert mirrored._infer_num_gpus_per_worker(["/gpu:0", "/cpu:0"]) == 1
    with pytest.raises(ValueError, match="All workers should have the same number of GPUs"):
        mirrored._infer_num_gpus_per_worker([worker(0, "GPU:0"), worker(0, "GPU:1"), worker(1, "GPU:0")])
    with pytest.raises(ValueError, match="should be consecutive and start from 0"):
        mirrored._infer_num_gpus_per_worker([worker(0, "GPU:0"), worker(1, "GPU:1")])
