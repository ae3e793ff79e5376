"""Gradients as ordinary ops: `tensor_xp` against `host_xp` over all recorded gradients, and second derivatives."""

import numpy as np
import pytest

import reflow as tf
from reflow.core.context import state
from reflow.ops.reverse import Recorder
from reflow.ops.xp import host as host_xp
from reflow.ops.xp import tensor as tensor_xp
from reflow.ops.xp.names import HELPERS, NAMES
from tests.api.array import array_cases

X = np.float32([[0.3, -0.7, 1.2], [0.5, 0.9, -0.4]])
P = np.abs(X) + 0.2
W = np.float32([[0.2, 0.4], [-0.3, 0.1], [0.5, -0.6]])
S = np.float32([[2.0, 0.3], [0.3, 1.5]])

#: functions of tensors whose recorded ops are compared; array_cases adds its own
CASES = {
    "add": (lambda x, b: x + b, [X, X[0]]),
    "subtract": (lambda x, b: x - b, [X[:, :1], X]),
    "multiply": (lambda x, b: x * b, [X, P[:, :1]]),
    "divide": (lambda x, b: x / b, [X, P[:1]]),
    "pow": (lambda x, b: x**b, [P, X[0]]),
    "maximum": (lambda x, b: tf.maximum(x, b), [X, P[0]]),
    "squared_difference": (lambda x, b: tf.math.squared_difference(x, b), [X, P[0]]),
    "exp": (tf.exp, [X]), "log": (tf.math.log, [P]), "log1p": (tf.math.log1p, [P]), "sqrt": (tf.sqrt, [P]),
    "rsqrt": (tf.math.rsqrt, [P]), "square": (tf.square, [X]), "sin": (tf.sin, [X]), "cos": (tf.cos, [X]),
    "tan": (tf.tan, [X]),
    "tanh": (tf.tanh, [X]), "sigmoid": (tf.sigmoid, [X]), "abs": (tf.abs, [X]), "negative": (tf.negative, [X]),
    "erf": (tf.math.erf, [X]), "atan": (tf.atan, [X]), "asin": (tf.asin, [X * 0.5]), "sinh": (tf.sinh, [X]),
    "reciprocal": (tf.math.reciprocal, [P]), "expm1": (tf.math.expm1, [X]),
    "matmul": (lambda x, w: tf.matmul(x, w), [X, W]),
    "matmul transposed": (lambda x, w: tf.matmul(x, w, transpose_a=True, transpose_b=True), [X, W]),
    "batch matmul": (lambda x, w: tf.matmul(x[None], tf.stack([w, w * 2])), [X, W]),
    "sum": (lambda x: tf.reduce_sum(x, 1), [X]), "sum all": (lambda x: tf.reduce_sum(x), [X]),
    "sum keep": (lambda x: tf.reduce_sum(x, 0, keepdims=True), [X]),
    "mean": (lambda x: tf.reduce_mean(x, -1), [X]), "max": (lambda x: tf.reduce_max(x, 1), [X]),
    "prod": (lambda x: tf.reduce_prod(x, 1), [X]),
    "cumsum": (lambda x: tf.cumsum(x, 1, exclusive=True, reverse=True), [X]),
    "relu": (tf.nn.relu, [X]), "elu": (tf.nn.elu, [X]), "softplus": (tf.nn.softplus, [X]),
    "softmax": (tf.nn.softmax, [X]), "log_softmax": (tf.nn.log_softmax, [X]), "bias_add": (tf.nn.bias_add, [X, X[0]]),
    "selu": (tf.nn.selu, [X]), "leaky_relu": (tf.nn.leaky_relu, [X]), "relu6": (tf.nn.relu6, [X]),
    "where": (lambda x, y: tf.where(x > 0.0, x, y * 2.0), [X, P]),
    "clip": (lambda x: tf.clip_by_value(x, -0.5, 0.5), [X]),
    "cast": (lambda x: tf.cast(x, tf.float64), [X]),
    "einsum": (lambda x, w: tf.einsum("ij,jk->ik", x, w), [X, W]),
    "cholesky": (tf.linalg.cholesky, [S]), "inverse": (tf.linalg.inv, [S]), "det": (tf.linalg.det, [S]),
    "solve": (lambda a, b: tf.linalg.solve(a, b), [S, W[:2]]),
    "cross entropy": (lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([2, 0], x), [X]),
}
CASES.update(
    {f"array {name}": (lambda *xs, f=f: f(tf, *xs), inputs) for name, (f, inputs) in array_cases.GRADIENTS.items()}
)


def records_of(name):
    """What a tape writes down while a case runs: only ops with an explicit gradient on `xp`."""
    function, inputs = CASES[name]
    tensors = [tf.constant(x) for x in inputs]
    with Recorder(tensors) as recorder:
        function(*tensors)
    return [r for r in recorder.records if r[0].grad is not None and r[0].grad_tensors is None]


def cotangents_of(outputs):
    rng = np.random.default_rng(0)
    return [tf.constant(rng.normal(size=o.shape).astype(o.dtype.as_numpy_dtype)) if o.dtype.kind in "fc" else None
            for o in outputs]


def wanted_of(op, inputs):
    return [t.dtype.kind in "fc" and i not in op.nondiff_indices for i, t in enumerate(inputs)]


@pytest.mark.parametrize("name", CASES)
def test_tensors_equal_host(name):
    """Each op's gradient gives the same numbers on tensors as on arrays."""
    for op, inputs, outputs, attrs in records_of(name):
        cts, wanted = cotangents_of(outputs), wanted_of(op, inputs)
        host = state.run(op.grad, host_xp, attrs, [t._host() for t in inputs], [t._host() for t in outputs],
                         [None if c is None else c._host() for c in cts], wanted)
        tensors = op.grad(tensor_xp, attrs, tensor_xp.static_operands(op, inputs), list(outputs), cts, wanted)
        for h, t, w, x in zip(host, tensors, wanted, inputs, strict=True):
            if w:
                assert t.dtype is x.dtype and tuple(t.shape) == h.shape, op
                np.testing.assert_allclose(t.numpy(), h, rtol=2e-5, atol=1e-5, err_msg=op.name)


@pytest.mark.parametrize("name", CASES)
def test_tensors_of_unknown_sizes(name):
    """The same inside a function whose inputs have unknown sizes: every node is one of TensorFlow's own ops."""
    for op, inputs, outputs, attrs in records_of(name):
        cts, wanted = cotangents_of(outputs), wanted_of(op, inputs)
        host = state.run(op.grad, host_xp, attrs, [t._host() for t in inputs], [t._host() for t in outputs],
                         [None if c is None else c._host() for c in cts], wanted)
        static = {i % len(inputs) for i in (*op.static_indices,)} if not op.has_lists else {len(inputs) - 1, 0}
        flat = [t for i, t in enumerate(inputs) if i not in static or t.dtype.kind in "fc"] + list(outputs) + [
            c for c in cts if c is not None]
        gradient = gradient_of_tensors(op, inputs, outputs, attrs, cts, wanted, static)
        specs = [tf.TensorSpec([None] * t.shape.rank, t.dtype) for t in flat]
        traced = tf.function(gradient, autograph=False).get_concrete_function(*specs)
        assert not [n.type for n in traced.graph.get_operations() if n.type.startswith("Reflow>")], op.name
        got = traced(*flat)
        for h, t in zip([h for h, w in zip(host, wanted, strict=True) if w], got, strict=True):
            np.testing.assert_allclose(t.numpy(), h, rtol=2e-5, atol=1e-5, err_msg=op.name)


def gradient_of_tensors(op, inputs, outputs, attrs, cts, wanted, static):
    """The gradient of one record as a function of tensors; operands in `static` stay as they are."""

    def gradient(*given):
        values = iter(given)
        ins = [next(values) if i not in static or t.dtype.kind in "fc" else t for i, t in enumerate(inputs)]
        outs = [next(values) for _ in outputs]
        gs = [None if c is None else next(values) for c in cts]
        grads = op.grad(tensor_xp, attrs, tensor_xp.static_operands(op, ins), outs, gs, wanted)
        return [g for g, w in zip(grads, wanted, strict=True) if w]

    return gradient


SECOND = {
    "cube": (lambda x: x * x * x, lambda x: 6 * x),
    "exp": (tf.exp, np.exp),
    "sin": (tf.sin, lambda x: -np.sin(x)),
    "log": (lambda x: tf.math.log(x + 3.0), lambda x: -1 / (x + 3) ** 2),
    "tanh": (tf.tanh, lambda x: -2 * np.tanh(x) * (1 - np.tanh(x) ** 2)),
    "sigmoid": (tf.sigmoid, lambda x: _s(x) * (1 - _s(x)) * (1 - 2 * _s(x))),
    "reciprocal": (lambda x: 1.0 / (x + 3.0), lambda x: 2 / (x + 3) ** 3),
    "pow": (lambda x: (x + 3.0) ** 4.0, lambda x: 12 * (x + 3) ** 2),
    "sqrt": (lambda x: tf.sqrt(x + 3.0), lambda x: -0.25 * (x + 3) ** -1.5),
    "softplus": (tf.nn.softplus, lambda x: _s(x) * (1 - _s(x))),
    "square of slice": (lambda x: tf.square(x)[:, ::-1], lambda x: 2 + 0 * x),
    "square of gather": (lambda x: tf.gather(tf.square(x), [1, 0]), lambda x: 2 + 0 * x),
    "square of concat": (lambda x: tf.concat([tf.square(x), tf.square(x)], 0), lambda x: 4 + 0 * x),
    "square of pad": (lambda x: tf.pad(tf.square(x), [[1, 1], [0, 2]]), lambda x: 2 + 0 * x),
    "square of reflect": (lambda x: tf.pad(tf.square(x), [[0, 0], [1, 0]], "REFLECT"),
                          lambda x: 2 + 2 * (np.arange(3) == 1) + 0 * x),
    "square of tile": (lambda x: tf.tile(tf.square(x), [3, 1]), lambda x: 6 + 0 * x),
    "mean of squares": (lambda x: tf.reduce_mean(tf.square(x), 1) * 3.0, lambda x: 2 + 0 * x),
    "top_k of squares": (lambda x: tf.math.top_k(tf.square(x), 3)[0], lambda x: 2 + 0 * x),
}


def _s(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", SECOND)
def test_second_derivative(name, compiled):
    """Of a sum of independent terms the gradient of the gradient's sum is the second derivative."""
    function, expected = SECOND[name]

    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = function(x)
            first = tf.convert_to_tensor(inner.gradient(y, x))
        return tf.convert_to_tensor(outer.gradient(first, x))

    if compiled:
        second = tf.function(second, input_signature=[tf.TensorSpec([None, 3])])
    np.testing.assert_allclose(second(tf.constant(X)).numpy(), expected(X.astype(np.float64)), rtol=1e-5, atol=1e-5)


def test_third_derivative():
    x = tf.constant(2.0)
    with tf.GradientTape() as third, tf.GradientTape() as second, tf.GradientTape() as first:
        for tape in (first, second, third):
            tape.watch(x)
        y = x**5.0
        a = first.gradient(y, x)
        b = second.gradient(a, x)
    c = third.gradient(b, x)
    np.testing.assert_allclose([float(a), float(b), float(c)], [80, 160, 240], rtol=1e-5)


def test_every_function_of_the_namespace_is_on_tensors_too():
    """Every function of `xp` is in `tensor_xp`, or is known not to be a TensorFlow op."""
    without = {
        "conv", "conv_backprop_filter", "conv_backprop_input", "max_pool", "max_pool_grad", "avg_pool", "avg_pool_grad",
        "cummax", "cummin", "sort", "argsort", "dynamic_slice", "dynamic_update_slice", "scalars", "strided_slice",
        "strided_slice_grad", "wrapped_starts", "scan",
    }
    names = {*NAMES, *HELPERS}
    assert {n for n in names if not hasattr(host_xp, n)} == set()
    missing = {n for n in names if not hasattr(tensor_xp, n)}
    assert missing <= without, missing - without
