"""When a region is compiled: at the second call, or later if it is cheap to interpret.

Decided by counting, so every run decides alike.
"""

import numpy as np
import pytest

import reflow as tf
from reflow.compile import patience
from tests.compile.plans import graph_of, only_region, raw

MATRIX = tf.TensorSpec([None, 64])


@pytest.fixture(autouse=True)
def as_users_have_it(monkeypatch):
    assert patience.LATEST == patience.COMPILE_AT, "the tests' own setting"
    monkeypatch.setattr(patience, "LATEST", 25)


def due(function, *arguments, specs=None):
    graph = graph_of(function, *(specs or [tf.TensorSpec(x.shape, x.dtype) for x in arguments]))
    region = only_region(graph)
    values = raw(graph, *arguments)
    return patience.due(region.instructions, region.inputs, [values[s] for s in region.inputs])


def layers(x):
    weights = tf.ones([64, 64]) / 64.0
    for _ in range(20):
        x = tf.nn.relu(x @ weights)
    return x


def test_a_small_function_is_interpreted_until_the_last_moment():
    x = tf.ones([8, 64])
    assert due(lambda x: x * 3.0, x) == 25
    assert due(layers, x) == due(layers, x, specs=[MATRIX]) == 25


def test_large_arrays_and_products_are_compiled_at_the_second_call():
    assert due(lambda x: x * 3.0 + x, tf.ones([2000, 2000])) == 2
    assert due(lambda x: x @ x, tf.ones([1000, 1000])) == 2
    images = tf.ones([16, 64, 64, 16])
    assert due(lambda x: tf.nn.conv2d(x, tf.ones([5, 5, 16, 32]), 1, "SAME"), images) == 2


def test_what_is_unknown_while_tracing_is_as_long_as_in_the_call():
    small, middle, large = (due(layers, tf.ones([n, 64]), specs=[MATRIX]) for n in (8, 400, 50_000))
    assert small == 25 > middle > large == 2
    anything = [tf.TensorSpec(None)]
    assert due(tf.sin, tf.ones([8]), specs=anything) == 25 and due(tf.sin, tf.ones([10_000_000]), specs=anything) == 2


def test_the_gradient_of_a_product_counts_as_one():
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(x @ x)
        return tape.gradient(loss, x)

    assert due(gradient, tf.ones([600, 600])) == 2


def test_draws_are_dearer_than_sums():
    assert due(lambda x: x + 1.0, tf.ones([100_000])) == 25
    assert due(lambda x: x + tf.random.normal([100_000]), tf.ones([100_000])) < 10


def test_loops_and_branches_are_compiled_at_the_second_call():
    """Nobody knows how often a loop runs."""
    assert due(lambda n: tf.while_loop(lambda i: i < n, lambda i: [i + 1], [tf.constant(0)]), tf.constant(3)) == 2
    assert due(lambda n: tf.cond(n > 0, lambda: n + 1, lambda: n - 1), tf.constant(3)) == 2


def test_calls_are_counted():
    function = tf.function(lambda x: tf.tanh(x) * 2.0)
    x = tf.constant([0.5, 1.0])
    region = only_region(function.get_concrete_function(x).graph)
    results = []
    for call in range(1, 27):
        results.append(function(x).numpy())
        (program,) = region.programs.values()
        assert (program.call is not None) == (call >= 25)
    np.testing.assert_allclose(results, [results[0]] * 26, rtol=1e-6)


def test_what_must_be_compiled_at_once_is():
    function = tf.function(lambda x: tf.tanh(x) * 2.0, jit_compile=True)
    x = tf.constant([0.5, 1.0])
    function(x)
    (program,) = only_region(function.get_concrete_function(x).graph).programs.values()
    assert program.call is not None


def test_values_that_a_program_needs_are_found_at_one_call():
    """Each of the three shapes becomes a part of the key when a trace asks for it, without a call in between."""

    @tf.function
    def f(x, first, second, third):
        return tf.reshape(tf.reshape(tf.reshape(x, first) * 2.0, second) + 1.0, third)

    shapes = [tf.constant(shape) for shape in ([2, 6], [3, 4], [12])]
    x = tf.range(12.0)
    concrete = f.get_concrete_function(x, *shapes)
    region = only_region(concrete.graph)
    calls = 0
    while not (region.programs and any(program.traced for program in region.programs.values())):
        assert calls < 25
        assert f(x, *shapes).shape == [12]
        calls += 1
    assert calls == 25 and len(region.static) == 3
