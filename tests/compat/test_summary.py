"""`tf.compat.v1.summary`: tags and names of nodes (as TensorFlow's), eager summaries,
and what a `FileWriter` writes."""

import pytest
from tensorboard.compat.proto.summary_pb2 import Summary

import reflow as tf
from reflow.compat.summary_files import PluginAsset, get_plugin_asset

v1 = tf.compat.v1


def events(folder):
    return [e for file in sorted(folder.glob("events*")) for e in v1.train.summary_iterator(str(file))]


def test_names_and_tags():
    with tf.Graph().as_default(), v1.Session() as session, tf.name_scope("outer"):
        found = {
            s.op.name: (s.op.type, Summary.FromString(session.run(s)).value[0].tag)
            for s in (
                v1.summary.scalar("in ner", 1.0, family="fam"), v1.summary.histogram("h", [1.0]),
                v1.summary.image("i", tf.zeros([1, 2, 2, 1])), v1.summary.audio("a", tf.ones([1, 3]), 8, max_outputs=1),
                v1.summary.text("t", tf.constant("x")), v1.summary.tensor_summary("n", [1, 2], family="f"),
            )
        }
        assert found == {
            "outer/fam/in_ner": ("ScalarSummary", "fam/outer/fam/in_ner"), "outer/h": ("HistogramSummary", "outer/h"),
            "outer/i": ("ImageSummary", "outer/i/image/0"), "outer/a": ("AudioSummaryV2", "outer/a/audio"),
            "outer/t": ("TensorSummaryV2", "outer/t"), "outer/f/n": ("TensorSummaryV2", "f/outer/f/n"),
        }
        assert len(v1.get_collection("summaries")) == 6
        with pytest.raises(ValueError, match="dtype string"):
            v1.summary.text("t", tf.constant(1))


def test_metadata_of_any_tensor():
    with tf.Graph().as_default(), v1.Session() as session:
        text = v1.summary.text("t", tf.constant("x"))
        assert Summary.FromString(session.run(text)).value[0].metadata.plugin_data.plugin_name == "text"
        numbers = v1.summary.tensor_summary("n", [1, 2], summary_description="why", display_name="what")
        (value,) = Summary.FromString(session.run(numbers)).value
        assert (value.metadata.display_name, value.metadata.summary_description) == ("what", "why")


def test_in_eager_code(tmp_path):
    with pytest.warns(UserWarning, match="default summary writer not found"):
        assert v1.summary.scalar("a b", 2.5).numpy() == b"\n\n\n\x03a_b\x15\x00\x00 @"  # recorded from TensorFlow
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=3), tf.name_scope("sea"):
        assert v1.summary.scalar("depth", 2.0, family="f").numpy() == b""
        assert v1.summary.audio("waves", tf.ones([1, 4]), 8).numpy() == b""
    assert [(e.step, e.summary.value[0].tag) for e in events(tmp_path)[1:]] == [(3, "f/sea/f/depth"), (3, "sea/waves")]
    with pytest.raises(RuntimeError, match="not compatible with eager"):
        v1.summary.merge_all()


def test_writers_of_a_graph(tmp_path):
    """As TensorFlow's: nothing is written before the initializer, and only what a session evaluates."""
    with tf.Graph().as_default(), v1.Session() as session:
        writer = tf.summary.create_file_writer(str(tmp_path))
        with writer.as_default():
            tf.summary.scalar("x", 1.0, step=1)
        assert writer.init().type == "CreateSummaryFileWriter" and not list(tmp_path.iterdir())
        session.run(writer.init())
        assert session.run(v1.summary.all_v2_summary_ops()) == [True]
        with writer.as_default():
            v1.summary.initialize(graph=session.graph)
        session.run(writer.close())
    first, x, graph = events(tmp_path)
    assert (first.file_version, x.summary.value[0].tag, bool(graph.graph_def)) == ("brain.Event:2", "x", True)


def test_a_file_writer(tmp_path):
    class Asset(PluginAsset):
        plugin_name = "example"

        def assets(self):
            return {"a.txt": "text", "b.bin": b"\0"}

    with tf.Graph().as_default() as graph, v1.Session() as session:
        get_plugin_asset(Asset)
        tf.constant(1.0, name="one")
        writer = v1.summary.FileWriter(str(tmp_path), graph, session=session)
        assert v1.summary.FileWriter(str(tmp_path), session=session)._file is writer._file
        described = Summary()
        described.value.add(tag="t", simple_value=1.0).metadata.display_name = "T"
        for _ in range(2):
            writer.add_summary(described, 5)
        writer.close()
        with pytest.warns(UserWarning, match="closed FileWriter"):
            writer.add_summary(described)
        with pytest.raises(ValueError, match="not both"):
            writer.add_graph(graph, graph_def=graph.as_graph_def())
        with pytest.raises(TypeError, match="instance of `Graph`"):
            v1.summary.FileWriter(str(tmp_path), "graph")
    _, first, meta, one, two = events(tmp_path)[:5]
    assert first.graph_def and meta.meta_graph_def
    assert [e.summary.value[0].HasField("metadata") for e in (one, two)] == [True, False]
    assert (tmp_path / "plugins" / "example" / "a.txt").read_text() == "text"


@pytest.mark.parametrize(("rate", "whole"), [(0.2, 1), (0.9, 1), (22050.7, 22051)])
def test_a_wav_file_has_a_whole_rate(rate, whole):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        text = session.run(tf.compat.v1.summary.audio("a", tf.ones((1, 3, 2)), rate))
        audio = Summary.FromString(text).value[0].audio
        assert audio.sample_rate == pytest.approx(rate)
        assert int.from_bytes(audio.encoded_audio_string[24:28], "little") == whole
        with pytest.raises(tf.errors.InvalidArgumentError, match="sample_rate must be > 0"):
            session.run(tf.compat.v1.summary.audio("a", tf.ones((1, 3, 2)), 0.0))


def test_writers_make_their_folder_and_hooks_write_the_graph(tmp_path):
    with tf.Graph().as_default():
        v1.summary.FileWriter(str(tmp_path / "new" / "logs"))
        assert (tmp_path / "new" / "logs").is_dir()
        step = v1.train.get_or_create_global_step()
        count = v1.assign_add(step, 1)
        hooks = [
            v1.train.ProfilerHook(save_steps=1, output_dir=str(tmp_path / "profile")),
            v1.train.StepCounterHook(every_n_steps=1, output_dir=str(tmp_path / "steps")),
        ]
        with v1.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path / "model"), hooks=hooks) as session:
            for _ in range(3):
                session.run(count)
        v1.summary.FileWriterCache.clear()
    kinds = {name: [e.WhichOneof("what") for e in events(tmp_path / name)][:5] for name in ("model", "steps")}
    graph = ["graph_def", "meta_graph_def"]
    assert kinds["model"] == ["file_version", *graph, *graph] and kinds["steps"][:3] == ["file_version", *graph]
    assert list((tmp_path / "profile").glob("timeline-*.json"))
