"""Checkpoints in graphs of TensorFlow 1: saved and restored in sessions."""

import contextlib

import pytest

import reflow as tf
from reflow.train.python_state import PythonState

v1 = tf.compat.v1


class Count(PythonState):
    def __init__(self):
        self.n = 0

    def serialize(self):
        return str(self.n)

    def deserialize(self, string_value):
        self.n = int(string_value)


def test_saved_and_restored_in_a_session(tmp_path):
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v, count = tf.Variable(1.0), Count()
        checkpoint = v1.train.Checkpoint(v=v, count=count)
        session.run(v.initializer)
        first = checkpoint.save(tmp_path / "x", session)
        session.run(v.assign(5.0))
        count.n = 7
        nodes = len(graph.get_operations())
        second = checkpoint.save(tmp_path / "x", session)
        assert len(graph.get_operations()) == nodes  # the nodes of the first save were used again
        for path, value, n in ((first, 1.0, 0), (second, 5.0, 7)):
            checkpoint.restore(path).assert_consumed().run_restore_ops(session)
            assert (session.run(v), count.n) == (value, n)


def test_late_variables_are_restored_and_others_initialized(tmp_path):
    path = tf.train.Checkpoint(v=tf.Variable(3.0)).write(tmp_path / "x")
    with tf.Graph().as_default(), v1.Session() as session:
        checkpoint = tf.train.Checkpoint()
        status = checkpoint.read(path)
        checkpoint.v, checkpoint.w = tf.Variable(0.0), tf.Variable(4.0)
        status.initialize_or_restore(session)
        assert session.run([checkpoint.v, checkpoint.w]) == [3.0, 4.0]


def test_without_a_session_it_says_so(tmp_path):
    with tf.Graph().as_default(), pytest.raises(RuntimeError, match="create a session"):
        tf.train.Checkpoint(v=tf.Variable(1.0)).write(tmp_path / "x")


def test_the_nodes_are_on_the_io_device(tmp_path):
    options = tf.train.CheckpointOptions(experimental_io_device="/job:localhost/device:CPU:0")
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v = tf.Variable(1.0)
        session.run(v.initializer)
        checkpoint = tf.train.Checkpoint(v=v)
        checkpoint.read(checkpoint.write(tmp_path / "x", options), options)
        devices = {op.device for op in graph.get_operations() if op.type in ("SaveV2", "RestoreV2")}
    assert devices == {"/job:localhost/device:CPU:0"}


@pytest.mark.parametrize("in_graph", [False, True])
def test_state_of_old_optimizers(tmp_path, in_graph):
    """Slots and the optimizer's own numbers, also into an optimizer that has not made them yet."""
    with contextlib.ExitStack() as stack:
        session = stack.enter_context(_session(in_graph))

        def made():
            v, adam = tf.Variable([1.0, 2.0], name="v"), v1.train.AdamOptimizer(0.1)
            return v, adam, tf.train.Checkpoint(v=v, adam=adam)

        v, adam, checkpoint = made()
        step = adam.minimize((lambda: v * v) if session is None else v * v, var_list=[v])
        if session is not None:
            session.run(v1.global_variables_initializer())
            session.run(step)
        path = checkpoint.write(tmp_path / "x")
        other, new, restored = made()
        status = restored.read(path)
        if session is not None:
            new.minimize(other * other)
            status.initialize_or_restore(session)
        values = [other, new.get_slot(other, "m"), new.get_slot(other, "v")]
        expected = [v, adam.get_slot(v, "m"), adam.get_slot(v, "v")]
        read = (lambda x: x.numpy()) if session is None else session.run
        assert [read(x).tolist() for x in values] == [read(x).tolist() for x in expected]
        assert read(expected[1]).tolist() != [0.0, 0.0]


@contextlib.contextmanager
def _session(in_graph):
    if not in_graph:
        yield None
        return
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def test_a_streaming_restore_runs_each_node_when_it_is_made(tmp_path):
    streaming_restore = tf.__internal__.tracking.streaming_restore
    path = tf.train.Checkpoint(v=tf.Variable(2.0), late=tf.Variable(3.0)).write(tmp_path / "x")
    with tf.Graph().as_default(), v1.Session() as session:
        root = v1.train.Checkpoint(v=tf.Variable(0.0))
        status = root.restore(path)
        streaming_restore(status, session)
        assert session.run(root.v) == 2.0
        root.late = tf.Variable(0.0)
        assert session.run(root.late) == 3.0
        saver_path = v1.train.Saver([root.v]).save(session, str(tmp_path / "named"))
        with pytest.raises(NotImplementedError, match="name-based checkpoints"):
            streaming_restore(root.restore(saver_path))
    root = tf.train.Checkpoint(v=tf.Variable(0.0))
    assert streaming_restore(root.restore(path)) is None and float(root.v) == 2.0
