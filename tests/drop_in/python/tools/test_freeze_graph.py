"""Graphs and checkpoints become graphs of constants."""

import importlib

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.install import install_as_tensorflow
from reflow.drop_in.python.tools import freeze_graph as module

v1 = tf.compat.v1


@pytest.fixture
def saved(tmp_path):
    """A graph as text, its checkpoint, its SavedModel; `out` is x · w + b, b not initialised by the checkpoint."""
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        with tf.device("/cpu:0"):
            w = v1.get_variable("w", initializer=[[1.0], [2.0]])
            b = v1.get_variable("b", initializer=10.0)
            out = tf.add(x @ w, b, name="out")
        session.run(v1.global_variables_initializer())
        v1.train.Saver([w]).save(session, str(tmp_path / "model"))
        tf.io.write_graph(graph, str(tmp_path), "graph.pbtxt")
        v1.saved_model.simple_save(session, str(tmp_path / "saved"), {"x": x}, {"out": out})
    return tmp_path


def _run(graph_def):
    with tf.Graph().as_default(), v1.Session() as session:
        v1.import_graph_def(graph_def, name="")
        return session.run("out:0", {"x:0": np.ones([1, 2])}).item()


def _frozen(folder, names="out", **options):
    arguments = {"input_graph": str(folder / "graph.pbtxt"), "input_binary": False} | options
    given = (
        {"initializer_nodes": "b/Assign", "input_checkpoint": str(folder / "model"), "clear_devices": True} | arguments
    )
    return module.freeze_graph(
        input_saver="", output_node_names=names, restore_op_name="", filename_tensor_name="",
        output_graph=str(folder / "out.pb"), **given,
    )


def test_a_graph_and_a_checkpoint(saved):
    graph_def = _frozen(saved)
    assert _run(graph_def) == 13.0 and _run(v1.GraphDef.FromString((saved / "out.pb").read_bytes())) == 13.0
    assert not any("Variable" in node.op or "VarHandle" in node.op or node.device for node in graph_def.node)
    assert any(node.device for node in _frozen(saved, clear_devices=False).node)


def test_some_variables_stay(saved):
    assert "VarHandleOp" in {node.op for node in _frozen(saved, variable_names_denylist="w").node}
    assert (
        [node.name for node in _frozen(saved, variable_names_whitelist="w").node if node.op == "VarHandleOp"] == ["b"]
    )


def test_a_meta_graph(saved):
    options = {"input_graph": "", "input_meta_graph": str(saved / "model.meta"), "input_binary": True}
    assert _run(_frozen(saved, **options)) == 13.0


def test_a_saved_model(saved):
    options = {
        "input_graph": "", "input_saved_model_dir": str(saved / "saved"), "input_checkpoint": "",
        "initializer_nodes": "",
    }
    assert _run(_frozen(saved, **options)) == 13.0


def test_what_is_missing_is_said(saved, capsys):
    assert (
        _frozen(saved, input_graph="nowhere") == -1 and _frozen(saved, input_checkpoint="nowhere") == -1
        and _frozen(saved, "") == -1
    )
    said = capsys.readouterr().out.splitlines()
    assert (
        said[0] == "Input graph file 'nowhere' does not exist!"
        and said[1] == "Input checkpoint 'nowhere' doesn't exist!"
    )
    assert said[2] == "You need to supply the name of a node to --output_node_names."


def test_programs_find_it_where_tensorflow_had_it():
    install_as_tensorflow()
    framework = importlib.import_module("tensorflow.python.framework.graph_util")
    assert framework.convert_variables_to_constants is v1.graph_util.convert_variables_to_constants
    assert importlib.import_module("tensorflow.python.tools.freeze_graph").freeze_graph is module.freeze_graph
