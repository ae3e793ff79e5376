"""Loops and branches of TensorFlow 1 in files.

What TensorFlow's session gave for them (`tools/golden/frames.py`), and damaged ones.
"""

import gzip
import json

import numpy as np
import pytest

import reflow as tf
from reflow.graph.frames import _is_dataflow, without_frames
from tools.golden import frames

v1 = tf.compat.v1
RESULTS = json.loads((frames.GOLDEN / "results.json").read_text())


def _graph_def(name):
    proto = v1.GraphDef()
    proto.ParseFromString(gzip.decompress((frames.GOLDEN / f"{name}.pb.gz").read_bytes()))
    return proto


@pytest.mark.parametrize("name", frames.CASES)
def test_a_session_gives_what_tensorflow_gave(name):
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v1.import_graph_def(_graph_def(name), name="")
        if "init" in [op.name for op in graph.get_operations()]:
            session.run("init")
        for feeds, wanted in zip(frames.CASES[name][1], RESULTS[name], strict=True):
            for mine, theirs in zip(frames.fetched(v1, session, feeds), wanted, strict=True):
                if isinstance(theirs, str):
                    assert mine == theirs
                else:
                    np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", frames.CASES)
def test_nothing_of_the_old_form_is_left(name):
    proto = without_frames(_graph_def(name))
    inside = [node for function in proto.library.function for node in function.node_def]
    assert not any(_is_dataflow(node) for node in [*proto.node, *inside])
    assert {"loops": 7, "branches": 4}.get(name, 0) <= sum(node.op in _FLOW for node in [*proto.node, *inside])


_FLOW = {"If", "StatelessIf", "While", "StatelessWhile"}


def test_as_a_function():
    def build():
        v1.import_graph_def(_graph_def("loops"), name="")

    function = v1.wrap_function(build, []).prune(["x:0", "p:0"], ["a:0", "b:0"])
    for p, wanted in zip((True, False), RESULTS["loops"], strict=True):
        for mine, theirs in zip(function(tf.constant(frames.X), tf.constant(p)), wanted, strict=False):
            np.testing.assert_allclose(mine, theirs)


def test_a_graph_without_them_is_handed_back():
    with tf.Graph().as_default() as graph:
        tf.constant(1.0)
    proto = graph.as_graph_def()
    assert without_frames(proto) is proto


def test_names_behind_loops_and_branches_stay():
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v1.import_graph_def(_graph_def("branches"), name="")
        assert session.run("cond/Merge:0", {"x:0": frames.X}).tolist() == [2.0, 3.0]
        v1.import_graph_def(_graph_def("loops"), name="l")
        assert (
            session.run("l/while/Exit:0", {"l/x:0": frames.X}) == 4
            and graph.get_operation_by_name("l/while/Exit_1").type == "Identity"
        )


def test_a_branch_that_uses_a_value_without_a_switch():
    """So do graphs that an optimizer has been over."""
    proto = _graph_def("branches")
    (add,) = [node for node in proto.node if node.name == "cond/add"]
    assert add.input[0] == "cond/add/Switch:1"
    add.input[0] = "x"
    with tf.Graph().as_default(), v1.Session() as session:
        v1.import_graph_def(proto, name="")
        assert session.run(["a:0", "b:0"], {"x:0": frames.X})[0].tolist() == [2.0, 3.0]
        assert session.run("a:0", {"x:0": frames.X, "p:0": False}).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("name", ["branches", "loops"])
def test_a_damaged_graph_is_refused(name):
    """Each node in turn is gone, has lost its inputs, or has those of another: an error of ours, or a graph."""
    whole = _graph_def(name)
    old = [i for i, node in enumerate(whole.node) if _is_dataflow(node)]
    for i in old:
        for damage in range(3):
            proto = v1.GraphDef()
            proto.CopyFrom(whole)
            if damage == 0:
                del proto.node[i]
            elif damage == 1:
                del proto.node[i].input[:]
            else:
                proto.node[i].input[0] = proto.node[old[0]].name
            try:
                with tf.Graph().as_default():
                    v1.import_graph_def(proto, name="")
            except (ValueError, tf.errors.NotFoundError, tf.errors.InvalidArgumentError) as error:
                assert str(error)
