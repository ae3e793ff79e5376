"""Passes."""

import numpy as np

import reflow as tf
from reflow.engine.rewrite import optimised, weights_of
from reflow.function.tracing import trace_to_graph


def graph_of(function, *shapes):
    return trace_to_graph(function, "f", tuple(tf.TensorSpec(s) for s in shapes))


def ops(graph):
    return [n.type for n in graph.nodes if n.inputs]


def run(graph, *values):
    return np.asarray(graph.run([*values, *[t._value for t in graph.external_captures]])[0])


IMAGE = np.random.default_rng(0).standard_normal((1, 3, 6, 6)).astype(np.float32)
W = tf.constant(np.random.default_rng(1).standard_normal((3, 3, 3, 4)).astype(np.float32))


def test_constants_are_folded_and_the_dead_removed():
    def f(x):
        _ = tf.exp(x)
        return tf.identity(x) + tf.reshape(tf.constant([1.0, 2.0]) * 3.0, [2])

    graph, counts = optimised(graph_of(f, [2]))
    assert (
        ops(graph) == ["AddV2"] and counts["constants folded"] and counts["identities removed"]
        and counts["dead nodes removed"]
    )
    np.testing.assert_array_equal(run(graph, np.zeros(2, np.float32)), [3, 6])


def block(x):
    """A convolution in ONNX' layout, batch normalisation as product and sum, an activation, and another convolution."""
    scale = tf.constant(np.arange(1, 5, dtype=np.float32).reshape(4, 1, 1))
    y = tf.transpose(tf.nn.conv2d(tf.transpose(x, [0, 2, 3, 1]), W, 1, "SAME"), [0, 3, 1, 2])
    y = tf.nn.relu(y * scale + tf.constant(np.ones((4, 1, 1), np.float32)))
    filters = tf.constant(np.ones((1, 1, 4, 2), np.float32))
    return tf.transpose(tf.nn.conv2d(tf.transpose(y, [0, 2, 3, 1]), filters, 1, "VALID"), [0, 3, 1, 2])


def test_scales_go_into_weights_and_transpositions_cancel():
    before = graph_of(block, [None, 3, 6, 6])
    graph, counts = optimised(before)
    assert ops(graph) == ["Transpose", "Conv2D", "AddV2", "Relu", "Conv2D", "Transpose"]
    assert counts["scales folded into weights"] == 1
    np.testing.assert_allclose(run(graph, IMAGE), run(before, IMAGE), rtol=1e-5, atol=1e-5)


def test_a_result_that_somebody_else_needs_is_not_scaled():
    def f(x):
        y = tf.nn.conv2d(x, W, 1, "SAME")
        return y * tf.constant([1.0, 2.0, 3.0, 4.0]) + y

    graph, counts = optimised(graph_of(f, [1, 6, 6, 3]))
    assert not counts["scales folded into weights"]
    x = IMAGE.transpose(0, 2, 3, 1)
    np.testing.assert_allclose(run(graph, x), run(graph_of(f, [1, 6, 6, 3]), x), rtol=1e-5, atol=1e-5)


def test_variables_become_weights():
    v = tf.Variable([1.0, 2.0])
    call = tf.function(lambda x: x * v).get_concrete_function(tf.TensorSpec([2]))
    graph, _ = optimised(trace_to_graph(lambda x: call(x), "f", (tf.TensorSpec([2]),)))
    v.assign([5.0, 5.0])
    np.testing.assert_array_equal(run(graph, np.ones(2, np.float32)), [1, 2])
    assert weights_of(graph) == []  # so small that they stay in the program


def padded(x):
    """Zeros around an image, then a convolution; those of the second image are read twice."""
    around = tf.pad(x, [[0, 0], [0, 1], [2, 0], [0, 0]])
    y = tf.nn.depthwise_conv2d(around, W[..., :1], [1, 2, 2, 1], "VALID")
    twice = tf.pad(y, [[0, 0], [1, 1], [1, 1], [0, 0]])
    return tf.reduce_sum(twice) + tf.nn.conv2d(twice, W, 1, "VALID")


def test_zeros_around_an_image_become_the_padding_of_its_convolution():
    graph, counts = optimised(graph_of(padded, [1, 6, 6, 3]))
    assert counts["paddings folded into convolutions"] == 1 and ops(graph).count("Pad") == 1
    image = IMAGE.transpose(0, 2, 3, 1)
    np.testing.assert_allclose(run(graph, image), padded(tf.constant(image)).numpy(), rtol=1e-4, atol=1e-5)


def test_a_scale_goes_into_weights_and_bias():
    def f(x):
        y = tf.nn.bias_add(tf.nn.conv2d(x, W, 1, "SAME"), tf.constant([1.0, 2.0, 3.0, 4.0]))
        return y * tf.constant(np.arange(4, dtype=np.float32).reshape(1, 1, 1, 4))

    graph, counts = optimised(graph_of(f, [1, 6, 6, 3]))
    assert ops(graph) == ["Conv2D", "BiasAdd"] and counts["scales folded into weights"]
    image = IMAGE.transpose(0, 2, 3, 1)
    np.testing.assert_allclose(run(graph, image), f(tf.constant(image)).numpy(), rtol=1e-4, atol=1e-4)
