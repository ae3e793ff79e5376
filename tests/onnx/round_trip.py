"""A function written to ONNX and read again: it gives the same values.

ONNX Runtime is compared outside of the tests.
"""

import numpy as np

import reflow as tf


def floats(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def open_specs(inputs):
    """Specs that leave the first length of each input open."""
    return [tf.TensorSpec([None, *x.shape[1:]] if x.ndim else [], x.dtype, f"x{i}") for i, x in enumerate(inputs)]


def round_trip(function, *inputs, specs=None, tolerance=1e-5):
    """Compare a function of tensors with what is written and read; the ModelProto."""
    inputs = [np.asarray(x) for x in inputs]
    proto = tf.onnx.export(function, specs=specs or open_specs(inputs))
    results = tf.onnx.load(proto).run(inputs)
    expected = tf.nest.flatten(function(*[tf.constant(x) for x in inputs]))
    for got, want in zip(results, expected, strict=True):
        assert got.dtype == want.dtype and got.shape == want.shape
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=tolerance, atol=tolerance)
    return proto


def operators(proto):
    """The operators of the main graph, in order, without the copies at its end."""
    return [n.op_type for n in proto.graph.node if n.op_type != "Identity"]
