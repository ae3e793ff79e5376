"""`tf.nn` against values and gradients recorded from TensorFlow."""

import numpy as np
import pytest

import reflow as tf
from reflow.core import errors
from tools.golden import nn as golden

TOLERANCE = {"f2": 2e-3, "f4": 2e-5, "f8": 1e-12}


@pytest.fixture(scope="module")
def recorded():
    return dict(np.load(golden.GOLDEN))


@pytest.mark.parametrize("name", golden.cases())
def test_like_tensorflow(recorded, name):
    got = golden.cases()[name](tf)
    assert len(got) == sum(key.split("#")[0] == name for key in recorded)
    for i, tensor in enumerate(got):
        expected = recorded[f"{name}#{i}"]
        value = np.asarray(tensor)
        assert (value.dtype, value.shape) == (expected.dtype, expected.shape), (name, i)
        if value.dtype.kind == "f":
            tolerance = TOLERANCE[value.dtype.str[1:]]
            np.testing.assert_allclose(
                value,
                expected,
                rtol=tolerance,
                atol=tolerance * max(1, np.abs(expected).max(initial=0)),
                err_msg=f"{name}#{i}",
            )
        else:
            np.testing.assert_array_equal(value, expected, err_msg=f"{name}#{i}")


@pytest.mark.parametrize("function", ["conv", "max_pool", "avg_pool", "depthwise", "batch_norm"])
def test_channels_first_is_the_transpose_of_channels_last(function):
    x = golden._x(2, 6, 5, 4)
    w, d = tf.constant(golden._x(3, 2, 4, 3)), tf.constant(golden._x(3, 2, 4, 2))
    v = tf.constant(np.ones(4, np.float32))
    run = {
        "conv": lambda x, f, s: tf.nn.conv2d(x, w, s, "SAME", f),
        "depthwise": lambda x, f, s: tf.nn.depthwise_conv2d(x, d, s, "SAME", f),
        "max_pool": lambda x, f, s: tf.nn.max_pool2d(x, s, s, "SAME", f),
        "avg_pool": lambda x, f, s: tf.nn.avg_pool2d(x, s, s, "SAME", f),
        "batch_norm": lambda x, f, s: tf.raw_ops.FusedBatchNormV3(
            x=x, scale=v, offset=v, mean=v, variance=v, data_format=f
        )[0],
    }[function]
    last = run(tf.constant(x), "NHWC", [1, 2, 2, 1])
    first = run(tf.constant(x.transpose(0, 3, 1, 2)), "NCHW", [1, 1, 2, 2])
    np.testing.assert_allclose(np.asarray(first).transpose(0, 2, 3, 1), np.asarray(last), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(tf.constant([1, 7, 9]), tf.zeros([3, 5])),
            errors.InvalidArgumentError,
            r"Received a label value of 9 which is outside the valid range of \[0, 5\).  Label values: 1 7 9",
        ),
        (
            lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(tf.constant([1, -1]), tf.zeros([2, 5])),
            errors.InvalidArgumentError,
            "Received a label value of -1",
        ),
        (
            lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(tf.constant([[1]]), tf.zeros([3, 5])),
            ValueError,
            "labels.shape.rank",
        ),
        (
            lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(tf.constant([1, 2]), tf.zeros([3, 5])),
            ValueError,
            "labels.shape",
        ),
        (
            lambda: tf.nn.sigmoid_cross_entropy_with_logits(tf.zeros([2]), tf.zeros([3])),
            ValueError,
            "must have the same shape",
        ),
        (
            lambda: tf.nn.bias_add(tf.zeros([2, 3]), tf.zeros([4])),
            errors.InvalidArgumentError,
            r"Must provide as many biases as the last dimension of the input tensor: \[4\] vs. \[2,3\]",
        ),
        (
            lambda: tf.nn.conv2d(tf.zeros([1, 4, 4, 3]), tf.zeros([2, 2, 2, 4]), 1, "SAME"),
            errors.InvalidArgumentError,
            "input depth must be evenly divisible by filter depth: 3 vs 2",
        ),
        (
            lambda: tf.nn.conv2d(tf.zeros([1, 2, 2, 1]), tf.zeros([4, 4, 1, 1]), 1, "VALID"),
            errors.InvalidArgumentError,
            "negative",
        ),
        (
            lambda: tf.nn.conv2d(tf.zeros([1, 2, 2, 1]), tf.zeros([1, 1, 1, 1]), 1, "EXPLICIT"), ValueError,
            "must be a list",
        ),
        (
            lambda: tf.nn.conv2d(tf.zeros([1, 2, 2, 1]), tf.zeros([1, 1, 1, 1]), [1, 1, 1], "SAME"),
            ValueError,
            "should be of length 1, 2 or 4",
        ),
        (lambda: tf.nn.max_pool2d(tf.zeros([1, 2, 2, 1]), 2, 2, "same?"), tf.errors.InvalidArgumentError, "padding"),
        (lambda: tf.nn.gelu(tf.constant([1])), ValueError, "floating point"),
        (lambda: tf.nn.softmax(tf.zeros([2, 2]), axis=5), errors.InvalidArgumentError, "dim"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def _own(op):
    return op.kernel.__module__.rsplit(".", 1)[-1] in ("activations", "conv", "pool", "batch_norm", "windows")


def test_kernels_agree_with_xla_and_with_their_shape_rules(in_64_bits):
    """One call of every op is made again by XLA; its shape rule is asked with and without knowledge."""
    import jax

    from reflow.core.backend import Backend
    from reflow.core.context import State, swapped
    from reflow.ops.shape_rules import NodeFacts
    from reflow.ops.xp import xla as xla_xp

    seen, run_eagerly = set(), State.backend.execute

    def compare(op, inputs, attrs, outputs):
        values = [np.asarray(t._value) for t in inputs]
        facts = NodeFacts.of_eager(op, inputs, attrs)
        assert op.shape(facts) == [tuple(o.shape) for o in outputs], op.name
        unknown = [None] * len(values)
        op.shape(NodeFacts(op, facts.dtypes, unknown, unknown, attrs))
        op.shape(NodeFacts(op, facts.dtypes, [(None,) * v.ndim for v in values], unknown, attrs))
        dynamic = [i for i in range(len(values)) if i not in op.static_indices]

        def program(*given):
            full = list(values)
            for i, value in zip(dynamic, given, strict=True):
                full[i] = value
            return op.call(xla_xp, full, attrs)

        result = jax.jit(program)(*[values[i] for i in dynamic])
        for got, expected in zip([result] if op.single else result, outputs, strict=True):
            got, expected = np.asarray(got), np.asarray(expected)
            assert (got.dtype, got.shape) == (expected.dtype, expected.shape), op.name
            np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4, err_msg=op.name)

    class Comparing(Backend):
        constant, device_of = State.backend.constant, State.backend.device_of

        def execute(self, op, inputs, attrs):
            out = run_eagerly(op, inputs, attrs)
            if _own(op) and op.name not in seen:
                seen.add(op.name)
                compare(op, inputs, attrs, out if isinstance(out, list) else [out])
            return out

    with swapped(backend=Comparing()):
        for name, case in golden.cases().items():
            if "float16" not in name and "fused" not in name:
                case(tf)
    assert {
        "Conv2D",
        "Conv2DBackpropInput",
        "Conv3DBackpropFilterV2",
        "MaxPoolGrad",
        "Softmax",
        "ReluGrad",
        "LRNGrad",
    } <= seen
