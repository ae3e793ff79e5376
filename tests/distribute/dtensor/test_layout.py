"""`reflow/distribute/dtensor/layout.py`: layouts as text, shapes of parts, JAX's shardings."""

import pickle

import pytest

from reflow.distribute.dtensor.layout import sharding_of
from tests.distribute.dtensor.meshes import dtensor, four


def test_a_layout_is_a_value():
    layout = dtensor.Layout(["x", dtensor.UNSHARDED], four())
    assert layout.to_string() == "sharding_specs:x,unsharded, mesh:" + four().to_string()
    copies = [
        dtensor.Layout.from_string(layout.to_string()), dtensor.Layout.from_proto(layout.as_proto()),
        pickle.loads(pickle.dumps(layout)),
    ]
    assert all(copy == layout and hash(copy) == hash(layout) for copy in copies)
    assert layout.to_parted().to_string().startswith("parted:x,unsharded, mesh:")
    assert dtensor.Layout([], four()).to_string().startswith("sharding_specs: mesh:|x=2")
    device = dtensor.Layout.from_device("/job:localhost/replica:0/task:0/device:CPU:0")
    assert device.is_single_device() and dtensor.Layout.from_string(device.to_string()) == device


def test_a_layout_divides_shapes():
    layout = dtensor.Layout(["x", dtensor.UNSHARDED], four())
    assert layout.local_shape_from_global_shape([4, 3]).as_list() == [2, 3]
    assert layout.global_shape_from_local_shape([2, 3]).as_list() == [4, 3]
    assert (layout.num_shards(0), layout.num_shards(1), layout.rank, layout.shape) == (2, 1, 2, [2, 2])
    assert (
        layout.offset_to_shard() == [(0, 0), (0, 0), (1, 0), (1, 0)]
        and layout.offset_tuple_to_global_index((1, 0)) == 1
    )
    assert (
        layout.is_batch_parallel() and not layout.is_fully_replicated()
        and layout.delete(0).sharding_specs == ["unsharded"]
    )
    assert dtensor.Layout.inner_sharded(four(), "y", 2).sharding_specs == ["unsharded", "y"]


def test_a_layout_is_a_sharding_of_jax():
    assert tuple(sharding_of(dtensor.Layout(["y", dtensor.UNSHARDED], four())).spec) == ("y", None)


@pytest.mark.parametrize(
    ("specs", "message"),
    [(["x", "x"], "Mesh dimension x was repeated"), (["z"], "z: A dimension sharding must either be a valid")],
)
def test_what_is_no_layout(specs, message):
    with pytest.raises(ValueError, match=message):
        dtensor.Layout(specs, four())
    with pytest.raises(ValueError, match="type is single device, but mesh is not"):
        dtensor.Layout.from_single_device_mesh(four())
