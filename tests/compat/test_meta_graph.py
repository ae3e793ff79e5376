"""MetaGraphs: a graph with its collections and its saver, written and read again."""

import pytest

import reflow as tf

v1 = tf.compat.v1


def trained(session, folder, **options):
    """A model with a scalar summary, trained for three steps; returns its answer and where it was saved."""
    x = v1.placeholder(tf.float32, [None, 2], name="x")
    y = tf.matmul(x, v1.get_variable("w", initializer=tf.ones([2, 1])), name="y")
    step = v1.train.get_or_create_global_step()
    v1.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_mean(y * y, name="loss"), step, name="train")
    for key, value in (("outs", y), ("words", "a"), ("sizes", 3), ("kinds", object())):
        v1.add_to_collection(key, value)
    saver = v1.train.Saver(**options)
    session.run(v1.global_variables_initializer())
    for _ in range(3):
        session.run("train", {x: [[1.0, 2.0]]})
    return session.run(y, {x: [[1.0, 1.0]]}).item(), saver.save(session, str(folder / "m"), step)


@pytest.mark.parametrize("options", [{}, {"sharded": True}, {"reshape": True, "max_to_keep": 1}])
def test_a_graph_is_imported_restored_and_trained_on(tmp_path, options):
    with tf.Graph().as_default(), v1.Session() as session:
        answer, path = trained(session, tmp_path, **options)
        after = (
            session.run(["train", "y:0"], {"x:0": [[1.0, 1.0]]}) and session.run("y:0", {"x:0": [[1.0, 1.0]]}).item()
        )
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v1.train.import_meta_graph(f"{path}.meta", clear_devices=True).restore(session, path)
        (out,) = v1.get_collection("outs")
        assert session.run(out, {"x:0": [[1.0, 1.0]]}).item() == pytest.approx(answer)
        assert v1.get_collection("words") == [b"a"] and v1.get_collection("sizes") == [3]
        assert (
            [v.name for v in v1.trainable_variables()] == ["w:0"]
            and v1.trainable_variables()[0] is v1.global_variables()[0]
        )
        assert session.run(v1.train.get_global_step()) == 3 and "kinds" not in graph.get_all_collection_keys()
        session.run("train", {"x:0": [[1.0, 1.0]]})
        assert session.run("y:0", {"x:0": [[1.0, 1.0]]}).item() == pytest.approx(after)


def test_scopes(tmp_path):
    with tf.Graph().as_default():
        outside = tf.constant(2.0, name="outside")
        with tf.name_scope("tower"):
            tf.multiply(outside, v1.Variable(3.0, name="v"), name="product")
        meta = v1.train.export_meta_graph(str(tmp_path / "t.meta"), export_scope="tower", as_text=True)
    assert "$unbound_inputs_outside" in [n.name for n in meta.graph_def.node]
    with tf.Graph().as_default(), v1.Session() as session:
        v1.train.import_meta_graph(
            str(tmp_path / "t.meta"), import_scope="copy", input_map={"$unbound_inputs_outside": tf.constant(5.0)}
        )
        assert [v.name for v in v1.global_variables()] == ["copy/v:0"]
        session.run(v1.global_variables_initializer())
        assert session.run("copy/product:0") == 15.0


def test_queue_runners_are_part_of_it():
    with tf.Graph().as_default():
        v1.train.batch([v1.train.limit_epochs(tf.constant(4.0), 3)], 2)
        meta = v1.train.export_meta_graph()
    with tf.Graph().as_default():
        assert v1.train.import_meta_graph(meta) is None  # it has nothing that a saver saves
        (runner,) = v1.get_collection("queue_runners")
        assert runner.name == "batch/fifo_queue" and [op.type for op in runner.enqueue_ops] == ["QueueEnqueueV2"]


def test_what_is_no_meta_graph(tmp_path):
    with pytest.raises(RuntimeError, match="eager execution"):
        v1.train.import_meta_graph("x.meta")
    (tmp_path / "x.meta").write_bytes(b"no proto {")
    with tf.Graph().as_default():
        with pytest.raises(OSError, match="File does not exist"):
            v1.train.import_meta_graph(str(tmp_path / "y.meta"))
        with pytest.raises(OSError, match="Cannot parse file"):
            v1.train.import_meta_graph(str(tmp_path / "x.meta"))
        bad = v1.MetaGraphDef()
        bad.graph_def.node.add(name="r", op="ReadFile", input=["n"])
        bad.graph_def.node.add(name="n", op="Const")
        with pytest.raises(tf.errors.PermissionDeniedError, match="ReadFile"):
            v1.train.import_meta_graph(bad)


def test_a_saver_restores_what_a_checkpoint_of_objects_holds(tmp_path):
    path = tf.train.Checkpoint(a=tf.Variable(7.0, name="w")).save(str(tmp_path / "x"))
    with tf.Graph().as_default(), v1.Session() as session:
        w = v1.get_variable("w", initializer=1.0)
        v1.train.Saver().restore(session, path)
        assert session.run(w) == 7.0


def test_a_graph_that_this_process_wrote_may_use_all_ops(tmp_path):
    """What comes back as it was written is trusted; a changed file is not."""
    path = tmp_path / "text"
    path.write_text("hello")
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        tf.io.read_file(str(path), name="content")
        v1.train.export_meta_graph(str(tmp_path / "own.meta"))
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v1.train.import_meta_graph(str(tmp_path / "own.meta"))
        assert session.run(graph.get_tensor_by_name("content:0")) == b"hello"
    changed = (tmp_path / "own.meta").read_bytes().replace(b"content", b"CONTENT")
    (tmp_path / "changed.meta").write_bytes(changed)
    with tf.Graph().as_default(), pytest.raises(tf.errors.PermissionDeniedError, match="ReadFile"):
        v1.train.import_meta_graph(str(tmp_path / "changed.meta"))


def test_a_restore_is_logged(tmp_path, caplog):
    with tf.Graph().as_default(), v1.Session() as session, caplog.at_level("INFO", logger="tensorflow"):
        _, path = trained(session, tmp_path)
        v1.train.Saver().restore(session, path)
    assert f"Restoring parameters from {path}" in caplog.text
