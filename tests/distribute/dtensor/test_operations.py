"""`reflow/distribute/dtensor/operations.py`: parts, layouts, scopes, and their mistakes."""

import pytest

import reflow as tf
from tests.distribute.dtensor.meshes import dtensor, four, on_one, one


def test_parts_and_whole():
    parts = [[float(i // 2)] for i in range(4)]
    x = dtensor.pack(parts, dtensor.Layout(["x"], four()))
    assert [t.numpy().tolist() for t in dtensor.unpack(x)] == parts and x.shape == [2]
    assert [t.device[-5:] for t in dtensor.unpack(x)] == ["CPU:0", "CPU:1", "CPU:2", "CPU:3"]
    matched = dtensor.Layout([dtensor.MATCH], one())
    assert dtensor.fetch_layout(dtensor.relayout(on_one([1.0], "x"), matched)).sharding_specs == ["x"]
    assert dtensor.fetch_layout(tf.ones([2], layout=dtensor.Layout(["x"], one()))).sharding_specs == ["x"]
    dtensor.barrier(one())


@pytest.mark.parametrize(
    ("use", "error", "message"),
    [
        (
            lambda: dtensor.pack([1.0], dtensor.Layout([], four())), tf.errors.InvalidArgumentError,
            "expected 4 inputs to DTensorPack, but got 1",
        ),
        (
            lambda: dtensor.pack([1.0], dtensor.Layout(["x"], one())), tf.errors.InvalidArgumentError,
            "should have the same rank",
        ),
        (
            lambda: dtensor.pack([[1.0], [2.0, 3.0], [1.0], [1.0]], dtensor.Layout(["x"], four())),
            tf.errors.UnimplementedError, "same shape",
        ),
        (
            lambda: dtensor.unpack(tf.constant(1.0)), tf.errors.InvalidArgumentError,
            "expects a tensor placed on the DTensor device",
        ),
        (lambda: dtensor.fetch_layout(tf.constant(1.0)), tf.errors.InvalidArgumentError, "placed on the layout device"),
        (
            lambda: dtensor.check_layout(on_one([1.0], "x"), dtensor.Layout([], one())), ValueError,
            "did not match expected layout",
        ),
        (lambda: dtensor.default_mesh("x"), ValueError, "Expect `mesh` to be `Mesh`, got"),
        (lambda: tf.function(lambda: dtensor.unpack(1))(), RuntimeError, "`unpack` must be called eagerly"),
    ],
)
def test_mistakes(use, error, message):
    with pytest.raises(error, match=message):
        use()
