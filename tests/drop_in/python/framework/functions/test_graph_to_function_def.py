"""Operations of a graph as a FunctionDef: the rest is in `test_function_def_to_graph.py`."""

import reflow as tf
from reflow.drop_in.python.framework.functions.graph_to_function_def import graph_to_function_def


def test_operations_that_wait_for_each_other():
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, name="x")
        with tf.control_dependencies([x, tf.no_op(name="first")]):
            y = tf.negative(x, name="y")
    made = graph_to_function_def(graph, graph.get_operations(), [x], [y], ["out"])
    assert [list(node.input) for node in made.node_def] == [[], ["x", "^first"]] and dict(made.ret) == {"out": "y:y:0"}
