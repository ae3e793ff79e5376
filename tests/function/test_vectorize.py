"""`tf.vectorized_map` and Jacobians run all rows at once: what the table of programs cannot see."""

import time

import numpy as np
import pytest

import reflow as tf
from reflow.runtime.batched import run_batched
from tests.eager.test_never_compiles import compilations

X = np.arange(12, dtype=np.float32).reshape(4, 3) / 5


def ops_of(function, *args) -> list:
    return [n.record.name for n in function.get_concrete_function(*args).graph.nodes]


def test_one_node_whatever_the_number_of_rows():
    @tf.function(autograph=False)
    def f(x):
        return tf.vectorized_map(lambda r: tf.reduce_sum(tf.sin(r) * r), x)

    few, many = ops_of(f, tf.zeros([4, 3])), ops_of(f, tf.zeros([1000, 3]))
    assert few == many and few.count("Reflow>VMap") == 1


@pytest.mark.parametrize("pfor", [True, False])
def test_a_jacobian_is_not_unrolled(pfor):
    @tf.function(autograph=False)
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x) * tf.reduce_sum(x)
        return tape.jacobian(y, x, experimental_use_pfor=pfor)

    assert len(ops_of(f, tf.zeros([3]))) == len(ops_of(f, tf.zeros([1000]))) < 80
    x = np.array([0.1, 0.2, 0.3], np.float32)
    expected = np.diag(np.cos(x) * x.sum()) + np.sin(x)[:, None]
    for _ in range(3):
        np.testing.assert_allclose(f(tf.constant(x)), expected, rtol=1e-5)


@pytest.mark.parametrize("pfor", [True, False])
def test_a_batch_jacobian_of_unknown_batch(pfor):
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None, 3])])
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x[:, :2] * tf.reduce_sum(x * x, 1, keepdims=True)
        return tape.batch_jacobian(y, x, experimental_use_pfor=pfor)

    assert f.get_concrete_function().structured_outputs.shape.as_list() == [None, 2, 3]
    for n in (4, 2, 4, 4):
        x = X[:n]
        square = (x * x).sum(1)
        expected = 2 * x[:, :2, None] * x[:, None, :] + np.eye(2, 3) * square[:, None, None]
        np.testing.assert_allclose(f(tf.constant(x)), expected, rtol=1e-5, atol=1e-6)


def test_a_jacobian_of_unknown_shape():
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None])])
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
        return tape.jacobian(y, x)

    for n in (3, 2, 3):
        x = np.arange(1.0, n + 1, dtype=np.float32)
        np.testing.assert_allclose(f(tf.constant(x)), np.diag(3 * x * x), rtol=1e-6)


def test_an_eager_jacobian_of_many_rows():
    """Above a few rows the pass is traced once; nothing is compiled, and an outer tape sees it."""
    x = tf.constant(np.linspace(0.1, 1.0, 40).astype(np.float32))
    with compilations() as seen, tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
        j = tape.jacobian(y, x)
    np.testing.assert_allclose(j, np.diag(3 * x.numpy() ** 2), rtol=1e-5)
    np.testing.assert_allclose(outer.gradient(j, x), 6 * x.numpy(), rtol=1e-5)
    assert not seen


@pytest.mark.parametrize("decorate", [lambda f: f, lambda f: tf.function(f, autograph=False)])
def test_tapes_watch_the_variables_of_a_row(decorate):
    w = tf.Variable([1.0, 2.0, 3.0])

    @decorate
    def f(x):
        with tf.GradientTape() as tape:
            y = tf.vectorized_map(lambda r: r * w * w, x)
        return tape.gradient(y, w)

    for _ in range(3):
        np.testing.assert_allclose(f(tf.constant(X)), 2 * w.numpy() * X.sum(0), rtol=1e-5)


def test_it_is_exported_as_a_loop(tmp_path):
    """A file holds TensorFlow's ops: a `While` over the rows.

    Real TensorFlow read and ran such a file when this was made.
    """
    module = tf.Module()
    module.w = tf.Variable([1.0, 2.0, 3.0])

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None, 3])])
    def f(x):
        with tf.GradientTape() as tape:
            y = tf.vectorized_map(lambda r: tf.reduce_sum(tf.sin(r) * module.w), x)
        return y, tape.gradient(y, module.w)

    module.f = f
    tf.saved_model.save(module, str(tmp_path))
    again = tf.saved_model.load(str(tmp_path))
    for got, expected in zip(again.f(tf.constant(X)), f(tf.constant(X))):
        np.testing.assert_allclose(got, expected, rtol=1e-5)
    names = {n.op for g in f.get_concrete_function().graph.as_graph_def().library.function for n in g.node_def}
    assert not [n for n in names if n.startswith("Reflow")]


# --- random numbers


@pytest.mark.parametrize("decorate", [lambda f: f, lambda f: tf.function(f, autograph=False)])
def test_random_numbers_differ_by_row_and_by_call(decorate):
    f = decorate(lambda x: tf.vectorized_map(lambda r: r * 0.0 + tf.random.normal([3]), x))
    draws = np.stack([f(tf.constant(X)).numpy() for _ in range(3)])
    assert len(np.unique(draws)) == draws.size


def test_random_numbers_with_a_seed_are_those_of_one_draw():
    tf.random.set_seed(1)
    rows = tf.vectorized_map(lambda r: r * 0.0 + tf.random.uniform([3], seed=5), tf.constant(X))
    tf.random.set_seed(1)
    np.testing.assert_array_equal(rows, tf.random.uniform([4, 3], seed=5))


def test_stateless_random_numbers_by_row():
    seeds = tf.constant([[1, 2], [1, 2], [3, 4]])
    for f in (tf.vectorized_map, tf.function(tf.vectorized_map, autograph=False)):
        for _ in range(3):
            rows = f(lambda s: tf.random.stateless_uniform([2], s), seeds).numpy()
            np.testing.assert_array_equal(rows[0], rows[1])
            assert (rows[0] != rows[2]).all()
            np.testing.assert_allclose(rows[2], tf.random.stateless_uniform([2], [3, 4]), rtol=1e-6)


def test_random_numbers_that_depend_on_the_row():
    """A stateful draw whose shape or parameters have rows runs row by row."""
    logits = tf.constant([[0.0, -50.0], [-50.0, 0.0]])
    rows = tf.vectorized_map(lambda r: tf.random.categorical(r[None], 4)[0], logits, warn=False)
    assert rows.numpy().tolist() == [[0] * 4, [1] * 4]


# --- effects and the fall back


def test_effects_run_row_by_row_with_a_warning(caplog):
    seen: list = []

    def f(r):
        tf.py_function(lambda a: seen.append(float(a)), [r[0]], [])
        return r * 2.0

    with caplog.at_level("WARNING", "tensorflow"):
        out = tf.vectorized_map(f, tf.constant(X))
    assert "Using a while_loop for converting EagerPyFunc" in caplog.text
    np.testing.assert_allclose(out, X * 2)
    assert seen == X[:, 0].tolist()
    caplog.clear()
    tf.vectorized_map(f, tf.constant(X), warn=False)
    assert not caplog.text


def test_no_fall_back():
    v = tf.Variable(0.0)
    with pytest.raises(
        ValueError, match="No pfor vectorization defined for AssignAddVariableOp.*fallback_to_while_loop"
    ):
        tf.vectorized_map(lambda r: v.assign_add(r[0]), tf.constant(X), fallback_to_while_loop=False)


def test_what_has_no_rows_is_done_once():
    calls: list = []

    def f(r):
        once = tf.numpy_function(lambda: calls.append(1) or np.float32(2), [], tf.float32)
        return r * once

    np.testing.assert_allclose(tf.function(lambda x: tf.vectorized_map(f, x), autograph=False)(tf.constant(X)), X * 2)
    assert len(calls) == 1


def test_strings_by_row():
    for f in (tf.vectorized_map, tf.function(tf.vectorized_map, autograph=False)):
        assert f(lambda s: tf.strings.length(s), tf.constant(["a", "bcd"])).numpy().tolist() == [1, 3]


def test_rows_that_cannot_be_stacked():
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be stacked"):
        tf.vectorized_map(lambda n: tf.range(n), tf.constant([1, 2]))


def test_an_error_in_a_row_names_it():
    @tf.function(autograph=False)
    def f(i):
        return tf.vectorized_map(lambda k: tf.gather(tf.constant([1.0, 2.0]), k), i)

    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"not in \[0, 2\)|out of range"):
            f(tf.constant([0, 5, 1]))
        assert f(tf.constant([0, 1, 1])).numpy().tolist() == [1.0, 2.0, 2.0]


# --- the host's way


def test_eager_runs_whole_batches_and_compiles_nothing():
    x = tf.constant(np.random.default_rng(0).normal(size=(20_000, 4)).astype(np.float32))
    with compilations() as seen:
        start = time.perf_counter()
        y = tf.vectorized_map(lambda r: tf.tanh(r) * r + 1.0, x)
        took = time.perf_counter() - start
    np.testing.assert_allclose(y, np.tanh(x) * x + 1, rtol=1e-5)
    assert not seen
    assert took < 1.0  # row by row it is 60,000 kernels


@pytest.mark.parametrize("shared", [np.float32(2.0), np.ones(3, np.float32), np.ones((2, 3), np.float32)])
def test_broadcasting_aligns_rows_at_the_end(shared):
    graph = tf.function(lambda r, s: (r * s, s - r), autograph=False).get_concrete_function(
        tf.TensorSpec([3]), tf.TensorSpec(shared.shape)
    ).graph
    got = run_batched(graph, [X, shared], (True, False))
    expected = [np.stack([r * shared for r in X]), np.stack([shared - r for r in X])]
    for a, b in zip(got, expected):
        np.testing.assert_allclose(a, b)
