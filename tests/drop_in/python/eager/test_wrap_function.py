"""Graphs of TensorFlow 1 as functions."""

import reflow as tf
from reflow.drop_in.python.eager import wrap_function


def test_from_a_graph_def():
    graph = tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([None])).graph
    again = wrap_function.function_from_graph_def(graph.as_graph_def(), graph.inputs[0].name, graph.outputs[0].name)
    assert again(tf.constant([1.0])).numpy().tolist() == [2.0]


def test_python_values_and_composites():
    scaled = wrap_function.wrap_function(lambda x, n: x * n, [tf.TensorSpec([]), 3.0])
    assert scaled(tf.constant(2.0)).numpy() == 6.0
    seen = []

    def double(x):
        seen.append((x, x * 2))
        return x * 2

    ragged = tf.ragged.constant([[1.0], [2.0, 3.0]])
    pruned = wrap_function.wrap_function(double, [tf.RaggedTensorSpec([None, None])]).prune(*seen[0])
    assert pruned(ragged.values, ragged.row_splits).to_list() == [[2.0], [4.0, 6.0]]
