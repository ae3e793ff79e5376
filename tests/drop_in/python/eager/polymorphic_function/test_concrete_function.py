"""Traces made from graphs."""

import reflow as tf
from reflow.drop_in.python.eager.polymorphic_function.concrete_function import ConcreteFunction


def test_from_a_graph_function_and_from_a_graph():
    trace = tf.function(lambda d: d["x"] + d["y"]).get_concrete_function(
        {"x": tf.TensorSpec([]), "y": tf.TensorSpec([])}
    )
    again = ConcreteFunction(trace._inference_function)
    assert again({"x": tf.constant(1.0), "y": tf.constant(2.0)}).numpy() == 3.0
    assert isinstance(again, ConcreteFunction) and isinstance(trace, ConcreteFunction)
    made = ConcreteFunction.from_func_graph(trace.graph, None, {"api_implements": "add"})
    assert made.function_def.attr["api_implements"].s == b"add"
