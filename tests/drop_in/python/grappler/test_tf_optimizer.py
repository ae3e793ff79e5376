"""Grappler's OptimizeGraph: constants folded, unneeded nodes left out."""

import pytest
from tensorboard.compat.proto.config_pb2 import ConfigProto

import reflow as tf
from reflow.drop_in.python.grappler.tf_optimizer import OptimizeGraph


@pytest.fixture
def metagraph():
    """A graph in which `sum` follows from constants, `out` does not, and nothing needs `other`."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        total = tf.add(tf.constant([1.0, 2.0]), 3.0, name="sum")
        tf.multiply(x, total, name="out")
        tf.negative(x, name="other")
    made = tf.compat.v1.train.export_meta_graph(graph_def=graph.as_graph_def())
    made.collection_def["train_op"].node_list.value.append("out:0")
    return made


def names_of(graph_def):
    return {node.name: node.op for node in graph_def.node}


def test_all_optimizers(metagraph):
    made = names_of(OptimizeGraph(ConfigProto(), metagraph))
    assert made == {"x": "Placeholder", "sum": "Const", "out": "Mul"}


def test_named_optimizers(metagraph):
    config = ConfigProto()
    config.graph_options.rewrite_options.optimizers.append("pruning")
    assert names_of(OptimizeGraph(config, metagraph))["sum"] == "AddV2"
    config.graph_options.rewrite_options.optimizers[:] = ["constfold"]
    made = OptimizeGraph(config, metagraph)
    assert names_of(made)["sum"] == "Const" and "other" in names_of(made)
    with tf.Graph().as_default():
        out = tf.import_graph_def(made, return_elements=["out:0"], name="")[0]
        with tf.compat.v1.Session() as session:
            assert session.run(out, {"x:0": [1.0, 2.0]}).tolist() == [4.0, 10.0]
