"""A graph for all rows on the host: whole batches where an op allows it, row by row where not."""

import numpy as np
import pytest

import reflow as tf
from reflow.ops.registry import REGISTRY
from reflow.runtime import batched
from tests.compile.plans import graph_of

ROWS = np.arange(12, dtype=np.float32).reshape(3, 4)
FIVE = np.linspace(-3.0, 9.0, 20, dtype=np.float32).reshape(5, 4)


def rows_of(function, *values, flags=None):
    """`function` for each row, by `run_batched`, and by a Python loop."""
    flags = flags or [True] * len(values)
    specs = [tf.TensorSpec(v.shape[1:] if b else v.shape, v.dtype) for v, b in zip(values, flags, strict=True)]
    graph = graph_of(function, *specs)
    (got,) = batched.run_batched(graph, list(values), flags)
    count = next(len(v) for v, b in zip(values, flags, strict=True) if b)
    expected = [
        function(*[tf.constant(v[i] if b else v) for v, b in zip(values, flags, strict=True)]).numpy()
        for i in range(count)
    ]
    np.testing.assert_allclose(got, np.stack(expected), rtol=1e-6)
    return graph


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.exp(x) * 2.0,
        lambda x: tf.reduce_sum(x),
        lambda x: tf.reduce_max(x, axis=0, keepdims=True),
        lambda x: tf.reduce_mean(x, axis=-1),
        lambda x: tf.cumsum(x),
        lambda x: tf.reverse(x, [0]),
        lambda x: tf.expand_dims(x, 0),
        lambda x: tf.reshape(x, [2, 2]),
        lambda x: tf.matmul(x[None], tf.ones([4, 2])),
        lambda x: tf.nn.relu(x - 5.0),
        lambda x: tf.nn.relu6(x),
        lambda x: tf.sort(x, direction="DESCENDING"),
        lambda x: tf.where(x > 2.0, x, 0.0),
        lambda x: tf.concat([x, x], 0),
        lambda x: tf.cond(x[0] > 3.0, lambda: x, lambda: -x),
    ],
)
def test_rows_are_as_if_alone(function):
    rows_of(function, ROWS)


def test_rows_of_different_rank_are_aligned_at_the_end():
    rows_of(lambda x, y: x[:, None] * y, ROWS, np.arange(3, dtype=np.float32))


def test_what_has_no_rows_is_shared():
    rows_of(lambda x, w: tf.reduce_sum(x * w), ROWS, np.arange(4, dtype=np.float32), flags=[True, False])


def test_a_result_that_needs_no_row_is_repeated():
    graph = graph_of(lambda x: tf.constant([1.0, 2.0]), tf.TensorSpec([4]))
    (out,) = batched.run_batched(graph, [ROWS], [True])
    assert out.tolist() == [[1.0, 2.0]] * 3


def test_no_rows():
    graph = graph_of(lambda x: tf.exp(x), tf.TensorSpec([4]))
    assert batched.run_batched(graph, [ROWS[:0]], [True])[0].shape == (0, 4)


def test_rows_that_cannot_be_stacked():
    graph = graph_of(lambda x: tf.boolean_mask(x, x > 4.0), tf.TensorSpec([4]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be stacked"):
        batched.run_batched(graph, [ROWS], [True])


def test_unequal_numbers_of_rows():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[2\] = 2 is not in \[0, 2\)"):
        batched.row_count([ROWS, ROWS[:2]], [True, True])
    assert batched.row_count([ROWS, ROWS[:2]], [True, False]) == 3


def test_python_code_sees_rows():
    calls = []
    graph = graph_of(
        lambda x: tf.numpy_function(lambda a: calls.append(a.shape) or a, [tf.exp(x) * 2.0], tf.float32),
        tf.TensorSpec([4]),
    )
    batched.run_batched(graph, [ROWS], [True])
    assert calls == [(4,)] * 3


def test_variables_have_no_rows():
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])
    graph = graph_of(lambda x: x * v, tf.TensorSpec([4]))
    (out,) = batched.run_batched(graph, [ROWS, v.handle._value], [True, False])
    np.testing.assert_array_equal(out, ROWS * [1.0, 2.0, 3.0, 4.0])


# --- batching rules ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Relu6", "Selu", "Softsign", "Relu", "Tanh"])
def test_elementwise_ops_run_once_for_all_rows(name, monkeypatch):
    graph = graph_of(
        lambda x: getattr(tf.raw_ops, name)(**{"x" if name == "Tanh" else "features": x}), tf.TensorSpec([4])
    )
    record, calls = REGISTRY[name], []
    kernel = record.kernel
    expected = np.stack([graph.run([row])[0] for row in FIVE])
    monkeypatch.setattr(record, "kernel", lambda *args: calls.append(args) or kernel(*args))
    np.testing.assert_allclose(batched.run_batched(graph, [FIVE], [True])[0], expected, 1e-6)
    assert len(calls) == 1


def test_other_ops_run_row_by_row(monkeypatch):
    graph = graph_of(lambda x: tf.nn.softmax(x), tf.TensorSpec([4]))
    record, calls = REGISTRY["Softmax"], []
    kernel = record.kernel
    monkeypatch.setattr(record, "kernel", lambda *args: calls.append(args) or kernel(*args))
    batched.run_batched(graph, [FIVE], [True])
    assert len(calls) == len(FIVE)


@pytest.mark.parametrize("flags", [(True, True), (True, False), (False, True)])
def test_products_of_rows_transpose_without_conjugating(flags):
    """A batch product conjugates what it transposes, a product of two matrices does not."""
    random = np.random.default_rng(0)
    both = (random.normal(size=(2, 3, 2, 2)) + 1j * random.normal(size=(2, 3, 2, 2))).astype(np.complex64)
    spec = tf.TensorSpec([2, 2], tf.complex64)
    graph = graph_of(lambda a, b: tf.raw_ops.MatMul(a=a, b=b, transpose_a=True), spec, spec)
    values = [x if f else x[0] for x, f in zip(both, flags, strict=True)]
    rows = [[x[i] if f else x for x, f in zip(values, flags, strict=True)] for i in range(3)]
    expected = np.stack([a.T @ b for a, b in rows])
    np.testing.assert_allclose(batched.run_batched(graph, values, flags)[0], expected, 1e-5)


def test_shapes_that_do_not_fit_are_compared_row_by_row():
    spec = tf.TensorSpec(None)
    graph = graph_of(lambda x, y: tf.raw_ops.Equal(x=x, y=y, incompatible_shape_error=False), spec, spec)
    assert batched.run_batched(graph, [FIVE, np.zeros(3, np.float32)], [True, False])[0].tolist() == [False] * 5
