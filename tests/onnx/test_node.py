"""Nodes as conversions see them."""

import numpy as np
import pytest
from onnx import helper

import reflow as tf
from reflow.onnx.node import NeedsValue, Node, OnnxError, channels_first, channels_last, joined, moved, positive


def _node(**attributes) -> Node:
    return Node(helper.make_node("Op", ["x"], ["y", ""], name="n", **attributes), 17, lambda graph: list)


def test_attributes_are_python_values():
    node = _node(number=3, words=["a", "b"], text="ä", real=0.5)
    assert (node.get("number"), node.get("words"), node.get("text"), node.get("real")) == (3, ["a", "b"], "ä", 0.5)
    assert node.get("none", 7) == 7 and "number" in node and "none" not in node
    assert node.wants(0) and not node.wants(1) and str(node) == "Op (node 'n')"


def test_axes_from_an_input_or_an_attribute():
    assert _node(axes=[1]).axes(None) == [1]
    assert _node().axes(tf.constant([0, -1])) == [0, -1]
    assert _node().axes(None) is None


def test_a_value_that_is_not_known():
    with tf.Graph().as_default(), pytest.raises(NeedsValue, match="pads must be known"):
        _node().value(tf.compat.v1.placeholder(tf.int64, [2]), "pads")


def test_a_dtype_that_is_missing():
    with pytest.raises(OnnxError, match="no attribute 'to'"):
        _node().dtype("to")


def test_axes_move():
    x = tf.zeros([2, 3, 4, 5])
    assert channels_last(x).shape == (2, 4, 5, 3) and channels_first(channels_last(x)).shape == (2, 3, 4, 5)
    assert moved(x, 0, -1).shape == (3, 4, 5, 2) and positive(-1, 4) == 3
    assert joined([1, np.int64(2)]) == [1, 2]
