"""FunctionDefs as graphs and back; names are those of TensorFlow 2.21."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework.functions import function_def_to_graph as reading
from reflow.drop_in.python.framework.functions.graph_to_function_def import graph_to_function_def

v1 = tf.compat.v1


@pytest.fixture
def made():
    with tf.Graph().as_default() as graph:
        x, y = v1.placeholder(tf.float32, name="x"), v1.placeholder(tf.float32, name="a/y")
        with tf.device("/device:CPU:0"):
            z = tf.add(x, y, name="z")
        parts = tf.split(tf.ones([4]), 2, name="sp")
        return graph_to_function_def(graph, graph.get_operations(), [x, y], [z, parts[0], parts[1], z, x])


def test_a_graph_as_a_function(made):
    assert [argument.name for argument in made.signature.input_arg] == ["x", "a/y"]
    assert dict(made.ret) == {"z": "z:z:0", "sp": "sp:output:0", "sp_o1": "sp:output:1", "z_U0": "z:z:0", "x": "x"}
    assert [argument.name for argument in made.signature.output_arg] == ["z", "sp", "sp_o1", "z_U0", "x"]
    assert [list(node.input) for node in made.node_def if node.name in ("z", "sp")] == [
        ["x", "a/y"], ["sp/split_dim:output:0", "ones:output:0"]
    ]
    with tf.Graph().as_default() as graph, pytest.raises(ValueError, match=r"len\(out_names\) = 1 len\(outputs\) = 2"):
        one = tf.constant(1.0)
        graph_to_function_def(graph, graph.get_operations(), [], [one, one], ["a"])


def test_a_function_as_a_graph_def(made):
    graph_def, names = reading.function_def_to_graph_def(made, [None, tf.TensorShape([5])])
    first, second = graph_def.node[:2]
    assert (first.op, "shape" in first.attr, second.attr["shape"].shape.dim[0].size) == ("Placeholder", False, 5)
    assert names["a/y"] == "a/y:0" and names["sp:output:1"] == "sp:1" and names["^z"] == "^z"
    assert [list(node.input) for node in graph_def.node if node.name == "z"] == [["x:0", "a/y:0"]]
    made.arg_attr[0].attr["_mine"].s = b"value"
    assert reading.function_def_to_graph_def(made)[0].node[0].attr["_mine"].s == b"value"
    with pytest.raises(ValueError, match="Got 1 `input_shapes` and 2 `input_arg`s"):
        reading.function_def_to_graph_def(made, [None])


def test_a_function_as_a_graph(made):
    made.signature.name = "f"
    graph = reading.function_def_to_graph(made, input_shapes=[tf.TensorShape([2]), None])
    assert graph.name == "f" and [tensor.shape.rank for tensor in graph.inputs] == [1, None]
    assert [tensor.name for tensor in graph.outputs] == ["z:0", "sp:0", "sp:1", "z:0", "x:0"]
    assert graph.get_operation_by_name("z").device == ""
    assert (
        reading.function_def_to_graph(made, propagate_device_spec=True).get_operation_by_name("z").device
        == "/device:CPU:0"
    )
    with v1.Session(graph=graph) as session:
        assert session.run(graph.outputs[0], {"x:0": [1.0, 2.0], "a/y:0": 3.0}).tolist() == [4.0, 5.0]


def test_functions_of_a_library():
    with tf.Graph().as_default() as graph:
        tf.function(lambda x: tf.function(lambda y: y + 1.0)(x) * 2.0)(tf.constant(1.0))
        names = {function.signature.name for function in graph.as_graph_def().library.function}
        calls = [node.attr["f"].func.name for node in graph.as_graph_def().node if "f" in node.attr]
        target, copied = v1.GraphDef(), set()
        reading.copy_function_def_to_graph_def_recursively(calls[0], target, copied)
        assert copied == names == {function.signature.name for function in target.library.function}
        assert (
            all(reading.is_function(name, graph) for name in names) and reading.get_function_def("none", graph) is None
        )
