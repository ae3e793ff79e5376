"""`reflow/distribute/dtensor/dataset.py`: batches with a layout, in functions too, and what does not fit."""

import pytest

import reflow as tf
from tests.distribute.dtensor.meshes import dtensor, four, one


def batches(**options):
    made = {"mesh": one(), "layouts": dtensor.Layout(["x"], one()), "global_batch_size": 2, "batch_dim": "x"} | options
    return dtensor.DTensorDataset(made.pop("dataset", tf.data.Dataset.range(5)), **made)


def test_batches_are_dtensors():
    found = list(batches(prefetch=1))
    assert [b.numpy().tolist() for b in found] == [[0, 1], [2, 3]] and all(map(dtensor.is_dtensor, found))
    assert batches().element_spec == tf.TensorSpec([2], tf.int64)


def test_replicas_take_batches_in_turn():
    layout = dtensor.Layout(["x"], four())
    first = next(iter(batches(mesh=four(), layouts=layout, global_batch_size=4)))
    assert [t.numpy().tolist() for t in dtensor.unpack(first)] == [[0, 1], [0, 1], [2, 3], [2, 3]]


def test_a_function_takes_the_iterator():
    total = tf.function(lambda iterator: tf.reduce_sum(next(iterator)))
    iterator = iter(batches())
    assert [int(total(iterator)), int(total(iterator))] == [1, 5]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"batch_dim": "x", "layouts": dtensor.Layout([dtensor.UNSHARDED], one())},
            "at least one layout did not contain it",
        ),
        ({"layouts": dtensor.Layout(["x", dtensor.UNSHARDED], one())}, "Expected layout with rank 1"),
        (
            {"dataset_already_batched": True, "dataset": tf.data.Dataset.range(6).batch(2)},
            "is None. Ensure drop_remainder",
        ),
        ({"dataset_already_batched": True, "dataset": tf.data.Dataset.range(6).batch(3, True)}, "got 3 but expected 2"),
    ],
)
def test_what_does_not_fit(options, message):
    with pytest.raises(ValueError, match=message):
        batches(**options)
