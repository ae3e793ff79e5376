"""Barriers and staging areas as classes, in sessions."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops import data_flow_ops as flow


def test_a_staging_area():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [])
        area = flow.StagingArea([tf.float32, tf.float32], shapes=[[], [2]], names=["a", "b"], capacity=2)
        put, got, size = area.put({"a": x, "b": [x, x]}), area.get(), area.size()
        session.run(put, {x: 1.0})
        session.run(put, {x: 2.0})
        assert session.run(size) == 2
        assert {k: v.tolist() for k, v in session.run(got).items()} == {"a": 1.0, "b": [1.0, 1.0]}
        session.run(area.clear())
        assert session.run(size) == 0 and got["b"].shape == [2]
        with pytest.raises(ValueError, match="Keys in dictionary to put do not match"):
            area.put({"c": x})


def test_a_staging_map():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        key, x = tf.compat.v1.placeholder(tf.int64, []), tf.compat.v1.placeholder(tf.float32, [])
        area = flow.MapStagingArea([tf.float32, tf.float32], ordered=True)
        first, second, some = area.put(key, [x], [0]), area.put(key, [x * 2.0], [1]), area.get()
        for k in (5, 3):
            session.run(first, {key: k, x: float(k)})
        assert session.run([area.size(), area.incomplete_size()]) == [0, 2]
        for k in (5, 3):
            session.run(second, {key: k, x: float(k)})
        assert session.run(some) == (3, [3.0, 6.0])
        assert session.run(area.get(5, [1])) == (5, [10.0])
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="Tensor at index '1' for key '5' has already been removed."
        ):
            session.run(area.get(5, [1]))


def test_a_barrier():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        barrier = flow.Barrier([tf.float32, tf.float32], shapes=[[], [2]], name="B")
        session.run(barrier.insert_many(0, ["a", "b"], [1.0, 2.0]))
        session.run(barrier.insert_many(1, ["b"], [[3.0, 4.0]]))
        assert session.run([barrier.ready_size(), barrier.incomplete_size()]) == [1, 1]
        _, keys, values = barrier.take_many(1)
        assert values[1].shape == [1, 2] and barrier.name == "B"
        assert [v.tolist() for v in session.run([keys, *values])] == [[b"b"], [2.0], [[3.0, 4.0]]]
        session.run(barrier.close(cancel_pending_enqueues=True))
        with pytest.raises(tf.errors.OpError):
            session.run(keys)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Empty tensors are not supported"):
        flow.Barrier([tf.float32], shapes=[[0]])
