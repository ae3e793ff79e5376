"""Graphs with the values of variables in place of variables."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework.functions import convert_to_constants

v1 = tf.compat.v1


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        a, b = (v1.get_variable(name, initializer=value) for name, value in (("a", 2.0), ("b", 3.0)))
        x = v1.placeholder(tf.float32, [], name="x")
        tf.cond(x > 0.0, lambda: x * a, lambda: x * b, name="choice")
        tf.identity(a + b, name="out")
        session.run(v1.global_variables_initializer())
        yield session


def frozen(session, **options):
    freeze = convert_to_constants.convert_variables_to_constants_from_session_graph
    return freeze(session, session.graph.as_graph_def(), ["out"], **options)


def handles(graph_def):
    return sorted(node.name for node in graph_def.node if node.op == "VarHandleOp")


def test_variables_of_a_session(session):
    assert handles(frozen(session)) == []
    assert handles(frozen(session, variable_names_allowlist=["a"])) == ["b"]
    assert handles(frozen(session, variable_names_denylist=["a"])) == ["a"]
    with tf.Graph().as_default() as graph, v1.Session() as other:
        tf.import_graph_def(frozen(session), name="")
        assert other.run(graph.get_tensor_by_name("out:0")) == 5.0


def test_branches_that_are_not_lowered(session):
    graph_def = session.graph.as_graph_def()
    kept = convert_to_constants.disable_lower_using_switch_merge(graph_def)
    marked = {node.name: node.attr["_lower_using_switch_merge"].b for node in kept.node
              if "_lower_using_switch_merge" in node.attr}
    assert marked == {"choice": False}
