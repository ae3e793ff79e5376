"""Summaries of one kind, written eagerly and by a session; writers of a name share a file."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops import summary_ops_v2 as summaries


def test_kinds(tmp_path):
    with summaries.create_file_writer(str(tmp_path)).as_default(step=4), tf.name_scope("a"):
        assert summaries.has_default_writer()
        summaries.scalar("s", 1.5, family="f")
        summaries.histogram("h", [1.0, 2.0])
        summaries.image("i", tf.zeros([1, 2, 2, 3]), max_images=1)
        summaries.audio("w", tf.zeros([1, 4, 1]), 8, 1)
        summaries.generic("g", tf.constant([1, 2]))
        with summaries.never_record_summaries():
            assert not summaries.scalar("unseen", 1.0)
    (file,) = tmp_path.iterdir()
    found = [(e.step, v.tag) for e in tf.compat.v1.train.summary_iterator(str(file)) for v in e.summary.value]
    assert found == [(4, tag) for tag in ("f/a/f/s", "a/h", "a/i/image", "a/w/audio", "a/g")]


def test_writers_of_a_name_share_a_file(tmp_path):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        for i in range(2):
            writer = summaries.create_file_writer(str(tmp_path))
            with writer.as_default(), summaries.always_record_summaries():
                written = summaries.scalar("s", float(i), step=i)
            session.run(writer.init())
            session.run(written)
            session.run(writer.flush())
        assert len(list(tmp_path.iterdir())) == 1
        with pytest.raises(tf.errors.InvalidArgumentError, match="flush_millis must be a scalar"):
            summaries.create_file_writer(str(tmp_path), flush_millis=[1, 2])


def test_messages_about_runs(tmp_path):
    run = tf.compat.v1.RunMetadata()
    run.step_stats.dev_stats.add().device = "cpu:0"
    run.function_graphs.add().pre_optimization_graph.node.add().name = "foo"
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        summaries.run_metadata("whole", run, step=1)
        summaries.run_metadata_graphs("graphs", run, step=1)
    (file,) = tmp_path.iterdir()
    found = [e.summary.value[0] for e in tf.compat.v1.train.summary_iterator(str(file)) if e.HasField("summary")]
    assert [v.metadata.plugin_data.plugin_name for v in found] == ["graph_run_metadata", "graph_run_metadata_graph"]
    whole, graphs = (type(run).FromString(v.tensor.string_val[0]) for v in found)
    assert whole == run
    assert not graphs.HasField("step_stats")
    assert graphs.function_graphs == run.function_graphs
