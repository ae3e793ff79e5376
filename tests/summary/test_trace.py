"""`tf.summary.trace_on` … `trace_export`: graphs that were traced meanwhile."""

import pytest

import reflow as tf
from tests.io.recorded_files import records


def graphs_in(folder):
    """The graphs in the one event of a trace."""
    from tensorboard.compat.proto.config_pb2 import RunMetadata
    from tensorboard.compat.proto.event_pb2 import Event

    (file,) = folder.iterdir()
    found = [v for r in records(file) for v in Event.FromString(r).summary.value]
    (value,) = found
    run = RunMetadata.FromString(tf.make_ndarray(value.tensor).item())
    return value.tag, [[n.op for n in g.pre_optimization_graph.node] for g in run.function_graphs]


def test_graphs_are_exported(tmp_path):
    f = tf.function(lambda x: tf.exp(x))
    tf.summary.trace_on()
    f(tf.constant(1.0))
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        tf.summary.trace_export("mine", step=0)
    tag, (ops,) = graphs_in(tmp_path)
    assert tag == "mine" and "Exp" in ops
    f(tf.constant([1.0]))  # not recorded any more


def test_a_function_that_makes_its_variables_is_one_graph(tmp_path):
    made = []

    @tf.function
    def f(x):
        if not made:
            made.append(tf.Variable(2.0))
        return made[0] * x

    tf.summary.trace_on()
    f(tf.constant(1.0))  # traced twice
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        tf.summary.trace_export("mine", step=0)
    assert len(graphs_in(tmp_path)[1]) == 1


def test_off_drops_it(tmp_path):
    tf.summary.trace_on()
    tf.summary.trace_off()
    with pytest.raises(ValueError, match="Must enable trace before export"):
        tf.summary.trace_export("x", step=0)
    tf.summary.trace_off()  # nothing to end


def test_twice_is_once(caplog):
    tf.summary.trace_on()
    tf.summary.trace_on()
    assert "Trace already enabled" in caplog.text
    tf.summary.trace_off()
