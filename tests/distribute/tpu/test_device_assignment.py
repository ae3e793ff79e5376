"""`reflow/distribute/tpu/device_assignment.py`: blocks of cores, in rows and along rings."""

import itertools

import pytest

import reflow as tf

DeviceAssignment, Mode = tf.tpu.experimental.DeviceAssignment, tf.tpu.experimental.DeviceOrderMode


def topology(*shape):
    places = [list(p) for p in itertools.product(*map(range, shape))]
    return tf.tpu.experimental.Topology(mesh_shape=shape, device_coordinates=[places])


def test_replicas_in_rows():
    cores = DeviceAssignment.build(topology(2, 2, 1, 2), num_replicas=4)
    assert cores.core_assignment[:, 0].tolist() == [[0, 0, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0], [1, 0, 0, 1]]
    assert (
        cores.lookup_replicas(0, 0) == [0, 1, 2, 3] and cores.tpu_ordinal(1) == 1
        and cores.host_device(2) == "/task:0/device:CPU:0"
    )


def test_replicas_along_rings():
    cores = DeviceAssignment.build(topology(4, 4, 1, 1), num_replicas=16)
    ring = cores.core_assignment[:, 0, :2].tolist()
    assert sorted(ring) == [list(p) for p in itertools.product(range(4), range(4))]
    for a, b in zip(ring, [*ring[1:], ring[0]], strict=True):
        assert abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1
    rows = DeviceAssignment.build(topology(4, 4, 1, 1), num_replicas=16, device_order_mode=Mode.MESH)
    assert rows.core_assignment[:5, 0, :2].tolist() == [[0, 0], [1, 0], [2, 0], [3, 0], [0, 1]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_replicas": 9}, "requested 9 replicas but only 8"),
        ({"computation_shape": [4, 1, 1, 1]}, "does not fit in TPU topology"),
        ({"computation_shape": [0, 1, 1, 1]}, "computation_shape must be positive"),
        ({"computation_stride": [1, 1]}, "computation_stride must have shape"),
        ({"device_order_mode": Mode.RING}, "RING is not compatible"),
    ],
)
def test_what_does_not_fit(options, message):
    with pytest.raises(ValueError, match=message):
        DeviceAssignment.build(topology(2, 2, 1, 2), **options)
    with pytest.raises(ValueError, match="Can not find any replica"):
        DeviceAssignment.build(topology(1, 1, 1, 1)).lookup_replicas(3, 0)
