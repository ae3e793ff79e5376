"""What tensors are computed from, copied to another graph. The expectations are TensorFlow's."""

import pytest

import reflow as tf
from reflow.drop_in.python.eager.lift_to_graph import UnliftableError, lift_to_graph
from reflow.graph.func_graph import FuncGraph

v1 = tf.compat.v1


def test_a_function_with_a_captured_variable():
    v = tf.Variable(3.0)
    traced = tf.function(lambda: tf.constant(2.0) * 4.0 + v).get_concrete_function()
    target = FuncGraph("init")
    lifted = lift_to_graph([*traced.outputs, v], target, add_sources=True, handle_captures=True)
    assert lifted[traced.outputs[0]].graph is target and lifted[v] is v
    assert [outer for outer, _ in target.captures] == [v.handle]


def test_sources_become_placeholders():
    old, new = tf.Graph(), tf.Graph()
    with old.as_default():
        first = v1.placeholder_with_default([1.0, 2.0], None, name="q")
        middle = first + 1.0
        last = middle * 2.0
    lifted = lift_to_graph([last], new, sources=[first])
    with v1.Session(graph=new) as session:
        assert session.run(lifted[last]).tolist() == [4.0, 6.0]
        assert session.run(lifted[last], {lifted[first]: [5.0]}).tolist() == [12.0]
    again = lift_to_graph([last], new, sources=[middle])
    with v1.Session(graph=new) as session:
        assert session.run(again[last], {again[middle]: [7.0]}).tolist() == [14.0]


def test_a_placeholder_in_the_way():
    with tf.Graph().as_default():
        tensor = v1.placeholder(tf.float32, name="p") * 2.0
    with pytest.raises(UnliftableError, match=r"transitively on placeholder .* mul \(Mul\) <- p \(Placeholder\)"):
        lift_to_graph([tensor], tf.Graph())
