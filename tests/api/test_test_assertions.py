"""`reflow/api/test_assertions.py`: each assertion of `tf.test.TestCase` passes once and fails once."""

import os
import sys

import pytest
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.summary_pb2 import Summary

import reflow as tf


class Case(tf.test.TestCase):
    __test__ = False


@pytest.fixture
def case():
    return Case("setUp")


def test_numbers_devices_and_items(case):
    case.assertArrayNear([1.0, 2.0], [1.1, 2.0], 0.2)
    case.assertDeviceEqual("/cpu:0", "/device:CPU:0")
    case.assertItemsEqual([1, 2], [2, 1])
    assert case.evaluate_if_both_tensors(tf.constant(1), 2) == (tf.constant(1), 2)
    assert (
        [type(x).__name__ for x in case.evaluate_if_both_tensors(tf.constant(1), tf.constant(2))] == ["int32", "int32"]
    )
    for fails in (
        lambda: case.assertArrayNear([1.0], [1.3], 0.2),
        lambda: case.assertArrayNear([1.0], [1.0, 2.0], 0.2),
        lambda: case.assertDeviceEqual("/cpu:0", "/cpu:1"),
        lambda: case.assertItemsEqual([1], [2]),
    ):
        with pytest.raises(AssertionError):
            fails()


def test_protos(case):
    value = Summary(value=[Summary.Value(tag="a", simple_value=1.0)])
    case.assertProtoEquals('value { tag: "a" simple_value: 1.0 }', value)
    case.assertProtoEquals('value { tag: "a" simple_value: 1.01 }', value, relative_tolerance=0.1)
    graph = GraphDef(node=[{"name": "x", "op": "NoOp"}], versions={"producer": tf.version.GRAPH_DEF_VERSION})
    case.assertProtoEqualsVersion("node { name: \"x\" op: \"NoOp\" }", graph)
    for fails in (
        lambda: case.assertProtoEquals('value { tag: "b" simple_value: 1.0 }', value),
        lambda: case.assertProtoEquals('value { tag: "a" simple_value: 1.3 }', value, relative_tolerance=0.1),
        lambda: case.assertProtoEquals(GraphDef(), value),
        lambda: case.assertProtoEqualsVersion("", GraphDef()),
    ):
        with pytest.raises(AssertionError):
            fails()


def test_errors_and_threads(case):
    with case.assertRaisesIncompatibleShapesError():
        tf.constant([1, 2]) + tf.constant([1, 2, 3])
    thread = case.checkedThread(lambda x: int(x), args=("no number",))
    thread.start()
    with pytest.raises(AssertionError, match="invalid literal"):
        thread.join()
    assert not thread.is_alive()


def test_streams(case, capfd):
    with capfd.disabled(), case.captureWritesToStream(sys.stderr) as written:
        os.write(sys.stderr.fileno(), b"from C++\n")
        print("from Python", file=sys.stderr, flush=True)
        assert written.contents() == "from C++\nfrom Python\n"
    assert written.contents() == "from C++\nfrom Python\n"  # the file is gone, what it said is not
