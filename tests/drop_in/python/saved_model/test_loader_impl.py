"""What a model's files and its MetaGraphDef hold."""

import pytest

import reflow as tf
from reflow.drop_in.python.saved_model import loader_impl

v1 = tf.compat.v1


@pytest.fixture
def folder(tmp_path):
    export = str(tmp_path / "model")
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("v", initializer=[2.0])
        session.run(v1.global_variables_initializer())
        builder = v1.saved_model.Builder(export)
        init = tf.no_op(name="init_all")
        builder.add_meta_graph_and_variables(session, ["foo"], main_op=init)
        builder.save()
    return export


def test_a_loader_in_steps(folder):
    loader = loader_impl.SavedModelLoader(folder)
    graph = tf.Graph()
    saver, _ = loader.load_graph(graph, ["foo"])
    with v1.Session(graph=graph) as session:
        with pytest.raises(ValueError, match="No tf.train.Saver object was passed"):
            loader.restore_variables(session, None)
        loader.restore_variables(session, saver)
        loader.run_init_ops(session, ["foo"])
        assert session.run("v:0").tolist() == [2.0]
        meta = loader.get_meta_graph_def_from_tags(["foo"])
        assert loader_impl.get_init_op(meta).name == "init_all" and loader_impl.get_train_op(meta) is None
    assert loader_impl.get_asset_tensors(folder, meta) == {}


def test_the_message_and_where_its_nodes_were_made(folder):
    model, info = loader_impl.parse_saved_model_with_debug_info(folder)
    assert len(model.meta_graphs) == 1 and not info.files
    with pytest.raises(OSError, match="SavedModel file does not exist"):
        loader_impl.parse_saved_model_with_debug_info(folder + "-gone")
