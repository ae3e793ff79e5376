"""MetaGraphs of name scopes, with their variables."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework import meta_graph

v1 = tf.compat.v1


def test_a_scope_and_its_variables(tmp_path):
    with tf.Graph().as_default() as graph:
        x = tf.constant(2.0, name="x")
        with tf.name_scope("layer"):
            tf.multiply(v1.Variable(3.0, name="v"), x, name="y")
        v1.add_to_collection("numbers", 7)
    file = str(tmp_path / "layer.meta")
    meta, variables = meta_graph.export_scoped_meta_graph(file, graph=graph, export_scope="layer")
    assert {name: v.name for name, v in variables.items()} == {"v:0": "layer/v:0"}
    assert meta.collection_def["unbound_inputs"].bytes_list.value == [b"$unbound_inputs_x"]

    with tf.Graph().as_default() as copy, tf.name_scope("outer"):
        with pytest.raises(ValueError, match="unbound inputs"):
            meta_graph.import_scoped_meta_graph(file, import_scope="new")
        given = {"$unbound_inputs_x": tf.constant(5.0)}
        found = meta_graph.import_scoped_meta_graph(
            file, False, None, "new", given, restore_collections_predicate=lambda key: key != "numbers"
        )
        assert (
            {name: v.name for name, v in found.items()} == {"v:0": "outer/new/v:0"}
            and copy.get_collection("numbers") == []
        )
        with v1.Session() as session:
            session.run(found["v:0"].initializer)
            assert session.run("outer/new/y:0") == 15.0


def test_ops_that_a_graph_uses():
    with tf.Graph().as_default() as graph:
        tf.function(tf.square)(tf.constant(1.0))
        tf.function(tf.negative).get_concrete_function(tf.constant(1.0)).add_to_graph(graph)
    proto = graph.as_graph_def()
    assert (
        {"Square", "Const"} < meta_graph.ops_used_by_graph_def(proto)
        and "Neg" not in meta_graph.ops_used_by_graph_def(proto)
    )
    assert "Square" in [op.name for op in meta_graph.stripped_op_list_for_graph(proto).op]
