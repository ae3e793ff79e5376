"""Parts of GraphDefs."""

import pytest

import reflow as tf
from reflow.drop_in.python.tools import strip_unused_lib

v1 = tf.compat.v1


def test_from_one_file_to_another(tmp_path):
    with tf.Graph().as_default() as graph:
        middle = tf.subtract(tf.constant(1.0), 3.0, name="middle")
        tf.add(tf.multiply(middle, 2.0, name="out"), 1.0)
    tf.io.write_graph(graph, str(tmp_path), "in.pbtxt")
    files = str(tmp_path / "in.pbtxt"), False, str(tmp_path / "out.pb"), True
    strip_unused_lib.strip_unused_from_files(*files, "middle", "out", tf.float32.as_datatype_enum)
    graph_def = v1.GraphDef.FromString((tmp_path / "out.pb").read_bytes())
    assert sorted(node.op for node in graph_def.node) == ["Const", "Mul", "Placeholder"]
    with tf.Graph().as_default(), v1.Session() as session:
        tf.import_graph_def(graph_def, name="")
        assert session.run("out:0", {"middle:0": [10.0]}) == [20.0]
    for wrong, error in (("no_node", KeyError), ("middle:0", ValueError)):
        with pytest.raises(error):
            strip_unused_lib.strip_unused_from_files(*files, wrong, "out", [1])
