"""Functions whose ops wait for each other. Expected values are worked out by hand."""

import numpy as np
import pytest

import reflow as tf

raw = tf.raw_ops
A, B = np.array([1.0, 2.0, 3.0, 4.0], np.float32), np.array([10.0, 20.0, 30.0, 40.0], np.float32)


def facts(instance):
    return {"group_size": 2, "group_key": 77, "instance_key": instance}


@pytest.fixture
def fresh():
    """A runtime without groups of devices, also afterwards: an error aborts all collectives until then."""
    reset = tf.__internal__.eager_context._reset_context
    reset()
    yield
    reset()


def reduced(x, instance, **changed):
    return lambda: raw.CollectiveReduceV2(
        input=x, ordering_token=[], merge_op="Add", final_op="Id", **(facts(instance) | changed)
    )


@pytest.mark.usefixtures("fresh")
def test_in_functions():
    """The devices of one function meet, in any order of its nodes, in loops and in datasets."""

    @tf.function
    def crossed():
        with tf.device("CPU:0"):
            a, b = reduced(A, 1)(), reduced(A, 2)()
        with tf.device("CPU:1"):
            c, d = reduced(a, 2)(), reduced(B, 1)()
        return a, b, c, d

    assert [t.numpy().tolist() for t in crossed()] == [
        (A + B).tolist(), (2 * A + B).tolist(), (2 * A + B).tolist(), (A + B).tolist()
    ]

    @tf.function
    def looped(n):
        a = b = tf.constant(1.0)
        while n > 0:
            with tf.device("CPU:0"):
                a = reduced(a, 1)()
            with tf.device("CPU:1"):
                b = reduced(b, 1)()
            n -= 1
        return a, b

    assert [float(t) for t in looped(tf.constant(3))] == [8.0, 8.0]

    def first(x):
        return next(iter(tf.data.Dataset.from_tensors(x).map(lambda x: reduced(x, 1)())))

    @tf.function
    def mapped():
        with tf.device("CPU:0"):
            a = first(A)
        with tf.device("CPU:1"):
            return a, first(B)

    assert [t.numpy().tolist() for t in mapped()] == [(A + B).tolist()] * 2


@pytest.mark.usefixtures("fresh")
def test_an_error_ends_the_wait_of_other_devices():
    @tf.function
    def failing(x):
        with tf.device("CPU:0"):
            a = reduced(A, 1)()
        with tf.device("CPU:1"):
            return a, reduced(tf.debugging.check_numerics(x, "bad"), 1)()

    with pytest.raises(tf.errors.InvalidArgumentError, match="bad : Tensor had NaN"):
        failing(tf.constant([np.nan] * 4))


def test_in_sessions():
    """An error ends with the run."""
    with tf.Graph().as_default() as graph:
        older = lambda x: raw.CollectiveGather(input=x, shape=[0], timeout_seconds=30.0, **facts(1))
        with graph.device("CPU:0"):
            a = older(tf.constant([1, 2]))
        with graph.device("CPU:1"):
            b, c = older(tf.constant([3, 4])), older(tf.constant([5]))
        assert a.shape == (4,)
        with tf.compat.v1.Session(config=tf.compat.v1.ConfigProto(device_count={"CPU": 2})) as session:
            assert [v.tolist() for v in session.run([a, b])] == [[1, 2, 3, 4]] * 2
            with pytest.raises(tf.errors.InvalidArgumentError, match="Shape mismatch"):
                session.run([a, c])
            assert [v.tolist() for v in session.run([a, b])] == [[1, 2, 3, 4]] * 2
        with pytest.raises(ValueError, match="Shape must be at least rank 1 but is rank 0"):
            older(tf.constant(1))
