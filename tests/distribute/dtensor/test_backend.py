"""`reflow/distribute/dtensor/backend.py`: which ops run on a mesh, and what stays outside."""

import pytest

import reflow as tf
from reflow.core.context import State
from reflow.devices import placement
from tests.distribute.dtensor.meshes import dtensor, four, on_one, one


def test_ops_follow_their_inputs():
    x = on_one([1.0, 2.0], "x")
    assert dtensor.is_dtensor(x + 1.0) and not dtensor.is_dtensor(tf.constant(1.0) + 1.0)
    assert dtensor.fetch_layout(tf.tanh(x) * [2.0, 3.0]).mesh == one()
    assert dtensor.fetch_layout(tf.zeros_like(x)) == dtensor.fetch_layout(x)
    assert dtensor.is_dtensor(tf.shape(x)) and tf.strings.as_string(x).numpy().tolist() == [b"1.000000", b"2.000000"]


def test_two_meshes_do_not_meet():
    x = dtensor.copy_to_mesh([1.0, 2.0], dtensor.Layout(["x"], four()))
    with pytest.raises(tf.errors.UnknownError, match="must have same mesh configuration"):
        x + on_one([1.0, 2.0], "x")


def test_a_default_mesh_takes_ops_and_constants():
    with dtensor.default_mesh(one()):
        made = [tf.constant([1.0]), tf.ones([2]), tf.Variable([1.0]), tf.range(3)]
        assert dtensor.get_default_mesh() == one()
    assert all(map(dtensor.is_dtensor, made)) and not dtensor.is_dtensor(tf.ones([2]))


def test_programs_without_dtensors_keep_their_backend():
    placement.unwrap()
    plain = State.backend
    on_one(1.0)
    assert State.backend is not plain and not State.backend.direct
    placement.unwrap()
    assert State.backend is plain
