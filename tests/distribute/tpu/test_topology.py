"""`reflow/distribute/tpu/topology.py`: topologies as numbers and as bytes, and records about systems."""

import numpy as np
import pytest

import reflow as tf

COORDINATES = [[[0, 0, 0, 0], [0, 0, 0, 1]], [[1, 0, 0, 0], [1, 0, 0, 1]]]


def test_a_topology_knows_its_devices():
    topology = tf.tpu.experimental.Topology(mesh_shape=[2, 1, 1, 2], device_coordinates=COORDINATES)
    again = tf.tpu.experimental.Topology(topology.serialized())
    for t in (topology, again):
        assert (t.num_tasks, t.num_tpus_per_task, t.mesh_rank, t.missing_devices.size) == (2, 2, 4, 0)
        assert t.tpu_device_name_at_coordinates([1, 0, 0, 1], job="w") == "/job:w/task:1/device:TPU:1"
        assert t.cpu_device_name_at_coordinates([0, 0, 0, 1]) == "/task:0/device:CPU:0"
        assert (
            t.task_ordinal_at_coordinates([1, 0, 0, 0]) == 1 and t.tpu_device_ordinal_at_coordinates([1, 0, 0, 0]) == 0
        )
    assert topology.serialized() == b"\n\x04\x02\x01\x01\x02\x10\x02\x18\x02\"\x10" + bytes(
        np.ravel(COORDINATES).tolist()
    )


@pytest.mark.parametrize("arguments", [{"mesh_shape": [1, 1, 1], "device_coordinates": [[[0, 0, 0, 0]]]},
                                       {"mesh_shape": [1, 1, 1, 1], "device_coordinates": [[0, 0, 0, 0]]},
                                       {"serialized": b"\n\x03\x01\x01\x01"}])
def test_what_is_no_topology(arguments):
    with pytest.raises(ValueError, match="must be a"):
        tf.tpu.experimental.Topology(**arguments)


def test_options_are_tuples():
    assert tuple(tf.tpu.XLAOptions()) == (True, True, False)
