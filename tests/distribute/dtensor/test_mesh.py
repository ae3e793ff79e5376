"""`reflow/distribute/dtensor/mesh.py`: what a mesh says about itself, and which meshes are refused."""

import pickle

import numpy as np
import pytest

import reflow as tf
from tests.distribute.dtensor.meshes import dtensor, four

CPU = "/job:localhost/replica:0/task:0/device:CPU:"


def test_a_mesh_says_what_it_is():
    mesh = four()
    assert mesh.to_string() == "|x=2,y=2|0,1,2,3|0,1,2,3|" + ",".join(f"{CPU}{i}" for i in range(4))
    assert (mesh.dim_names, mesh.shape(), mesh.size, mesh["y"], mesh.strides) == (
        ["x", "y"], [2, 2], 4, ("y", 2), [2, 1]
    )
    assert mesh.local_device_locations()[2] == {"x": 1, "y": 0} and mesh.device_location(3) == [1, 1]
    assert mesh.coords(3).numpy().tolist() == [1, 1] and mesh.global_device_ids().tolist() == [[0, 1], [2, 3]]
    assert mesh.host_mesh() == mesh and not mesh.is_remote() and mesh.device_type() == "CPU"


def test_a_mesh_is_a_value():
    mesh = four()
    copies = [
        dtensor.Mesh.from_string(mesh.to_string()), dtensor.Mesh.from_proto(mesh.as_proto()),
        pickle.loads(pickle.dumps(mesh)),
    ]
    assert all(copy == mesh and hash(copy) == hash(mesh) for copy in copies)
    single = dtensor.Mesh.from_device(CPU + "0")
    assert single.is_single_device() and dtensor.Mesh.from_proto(single.as_proto()) == single


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: dtensor.create_mesh([("x", 9)], devices=["CPU:0"]),
            "length of devices .1. must be equal to total size",
        ),
        (lambda: dtensor.create_mesh([("x", 2)], devices=["CPU:0", "GPU:0"]), "multiple device_types"),
        (lambda: dtensor.create_mesh([("x", 1)], devices=["CPU:0"], device_type="GPU"), "Conflicting devices"),
        (lambda: dtensor.Mesh(["x"], [0], [0], [CPU + "0"]), "must be an ndarray"),
        (lambda: dtensor.Mesh(["x"], np.array([0, 2]), [0, 1], [CPU + "0", CPU + "1"]), "sequentially increase"),
        (lambda: dtensor.Mesh(["x", "y"], np.arange(1), [0], [CPU + "0"]), "does not match number of dimension names"),
        (lambda: dtensor.Mesh(["x"], np.arange(2), [0, 1], [CPU + "0", CPU + "1", CPU + "1"]), "Duplicate devices"),
        (lambda: four().dim_size("z"), "Dimension z does not exist in mesh"),
    ],
)
def test_what_is_no_mesh(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_mesh_of_devices_that_do_not_exist_is_an_error_when_it_is_used():
    mesh = dtensor.create_mesh([("x", 1)], devices=["CPU:77"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="CPU:77 unknown device"):
        dtensor.copy_to_mesh(1.0, dtensor.Layout([], mesh))
