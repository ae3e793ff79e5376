"""Graphs of functions, traced by hand."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework import func_graph


def test_arguments_and_signatures():
    graph = func_graph.func_graph_from_py_func(
        "f", lambda x, y: x + y, [tf.constant([1.0, 2.0])], {"y": tf.constant(3.0)}
    )
    assert [t.shape.as_list() for t in graph.inputs] == [[2], []] and graph.outputs[0].op.type == "AddV2"
    graph = func_graph.func_graph_from_py_func("f", lambda x: -x, [], {}, signature=[tf.TensorSpec([None])])
    assert graph.outputs[0].shape.as_list() == [None]


def test_structures():
    ragged = tf.ragged.constant([[1], [2, 3]])
    flat = func_graph.flatten({"a": ragged, "b": tf.constant(1)})
    assert len(flat) == 3
    assert func_graph.pack_sequence_as({"a": ragged, "b": 1}, flat)["a"].to_list() == [[1], [2, 3]]


def test_arguments_that_a_function_has_changed():
    one = object()
    assert (
        not func_graph.has_mutation([one], [one]) and func_graph.has_mutation([one], [object()])
        and func_graph.has_mutation([1], [1, 2])
    )
    func_graph.check_func_mutation(([one],), {}, ([one],), {}, lambda a: a)
    with pytest.raises(ValueError, match=r"should not modify its Python input arguments.*were modified: a"):
        func_graph.check_func_mutation(([1],), {}, ([1, 2],), {}, lambda a: a)
