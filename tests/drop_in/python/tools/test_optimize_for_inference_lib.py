"""Frozen graphs with fewer ops."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.tools import optimize_for_inference_lib as lib

v1 = tf.compat.v1
IMAGE = np.float32([1, 4, 2, 5, 3, 6, -1, -4, -2, -5, -3, -6]).reshape(1, 2, 3, 2)
KERNEL = np.float32([1, 2, 3, 4, 0.1, 0.2, 0.3, 0.4]).reshape(1, 2, 2, 2)
MEAN, VARIANCE, OFFSET, SCALE = np.float32([[10, 20], [0.25, 0.5], [0.1, 0.6], [1, 2]])


def convolved(x):
    return v1.nn.conv2d(x, KERNEL, [1] * 4, padding="SAME", name="conv")


def depthwise(x):
    return v1.nn.depthwise_conv2d_native(x, KERNEL[:, :, :, :1], [1] * 4, "SAME", name="conv")


def in_one_op(x):
    return tf.raw_ops.FusedBatchNormV3(
        x=x, scale=SCALE, offset=OFFSET, mean=MEAN, variance=VARIANCE, epsilon=1e-5, is_training=False, name="out"
    )  # fmt: skip


def in_an_old_op(x):
    return tf.raw_ops.BatchNormWithGlobalNormalization(
        t=x, m=MEAN, v=VARIANCE, beta=OFFSET, gamma=SCALE, variance_epsilon=1e-5, scale_after_normalization=True,
        name="out",
    )  # fmt: skip


def in_single_ops(x):
    factor = tf.math.rsqrt(tf.constant(VARIANCE) + 1e-5) * SCALE
    return tf.add(x * factor, OFFSET - MEAN * factor, name="out")


def in_fewer_ops(x):
    factor = tf.math.rsqrt(tf.constant(VARIANCE) + 1e-5)
    return tf.add(OFFSET - MEAN * factor, x * factor, name="out")


def mirrored(x):
    return tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT")


def resized(x):
    return v1.image.resize_bilinear(x, [6, 4])


GRAPHS = {
    "one op": lambda x: in_one_op(convolved(x)),
    "an old op, behind a bias": lambda x: in_an_old_op(tf.nn.bias_add(convolved(x), [3.0, 4.0])),
    "depthwise": lambda x: in_one_op(depthwise(x)),
    "single ops": lambda x: in_single_ops(convolved(x)),
    "without a scale": lambda x: in_fewer_ops(convolved(x)),
    "padded": lambda x: tf.identity(convolved(mirrored(x)), name="out"),
    "resized": lambda x: tf.identity(convolved(resized(x)), name="out"),
    "resized and padded": lambda x: tf.identity(convolved(mirrored(resized(x))), name="out"),
}
GONE = {
    "Mul", "Sub", "Rsqrt", "FusedBatchNorm", "FusedBatchNormV3", "BatchNormWithGlobalNormalization", "MirrorPad",
    "ResizeBilinear",
}


@pytest.mark.parametrize("build", GRAPHS.values(), ids=list(GRAPHS))
def test_fewer_ops_and_the_same_numbers(build):
    with tf.Graph().as_default() as graph, v1.Session() as session:
        build(v1.placeholder(tf.float32, IMAGE.shape, name="x"))
        before = session.run("out:0", {"x:0": IMAGE})
    optimized = lib.optimize_for_inference(graph.as_graph_def(), ["x"], ["out"], tf.float32.as_datatype_enum)
    assert not GONE & {node.op for node in optimized.node}
    with tf.Graph().as_default(), v1.Session() as session:
        tf.import_graph_def(optimized, name="")
        np.testing.assert_allclose(session.run("out:0", {"x:0": IMAGE}), before, rtol=1e-4, atol=1e-5)


def test_placeholders_become_constants():
    with tf.Graph().as_default() as graph:
        training = v1.placeholder_with_default(True, [], name="keras_learning_phase")
        other = v1.placeholder(tf.bool, [], name="other")
        tf.logical_or(training, other, name="out")
        v1.placeholder(tf.float32, [], name="number")
    changed = lib.convert_placeholder_to_const(graph.as_graph_def(), ["other=True", "number=False"])
    nodes = {node.name: node for node in changed.node}
    assert not lib.values_from_const(nodes["keras_learning_phase"])
    assert lib.values_from_const(nodes["other"])
    assert nodes["number"].op == "Placeholder"
    with pytest.raises(ValueError, match="not Const"):
        lib.values_from_const(nodes["number"])


def test_what_is_wrong_with_a_graph():
    graph_def = v1.GraphDef()
    graph_def.node.add(name="a", op="Relu", input=["b:0"])
    with pytest.raises(ValueError, match="not found"):
        lib.ensure_graph_is_valid(graph_def)
    graph_def.node.add(name="a", op="Relu")
    with pytest.raises(ValueError, match="Duplicate"):
        lib.ensure_graph_is_valid(graph_def)
