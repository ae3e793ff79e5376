"""Loops of known length, taken apart: the same numbers as interpretation, and the products really leave the loop."""

import jax
import numpy as np
import pytest

import reflow as tf
from reflow.compile.runner import plan_of
from reflow.runtime.interpret import interpret

RNG = np.random.default_rng(3)
XS = tf.constant(RNG.normal(size=(6, 4, 3)).astype(np.float32))
W = tf.constant(RNG.normal(size=(3, 5)).astype(np.float32))
U = tf.constant(RNG.normal(size=(5, 5)).astype(np.float32) * 0.3)


def recurrence(xs, w, u):
    """A plain recurrent layer that returns all states."""
    items = tf.TensorArray(tf.float32, size=6, element_shape=[4, 3]).unstack(xs)
    states = tf.TensorArray(tf.float32, size=6)
    h = tf.zeros([4, 5])
    for t in tf.range(6):
        h = tf.tanh(tf.matmul(items.read(t), w) + tf.matmul(h, u))
        states = states.write(t, h)
    return states.stack()


def gradients(xs, w, u):
    with tf.GradientTape() as tape:
        tape.watch([xs, w, u])
        loss = tf.reduce_sum(recurrence(xs, w, u) ** 2)
    return tape.gradient(loss, [xs, w, u])


def second_order(xs, w, u):
    with tf.GradientTape() as tape:
        tape.watch(u)
        grads = gradients(xs, w, u)
        norm = sum(tf.reduce_sum(g**2) for g in grads)
    return tape.gradient(norm, u)


def backwards(xs, w, u):
    """Reads from the end, writes to every other place."""
    items = tf.TensorArray(tf.float32, size=6, element_shape=[4, 3]).unstack(xs)
    out = tf.TensorArray(tf.float32, size=12, element_shape=[4, 5])
    for t in tf.range(6):
        out = out.write(2 * t + 1, tf.matmul(items.read(5 - t), w))
    return out.stack()


def pushes(xs, w, u):
    """A dynamic array that grows by the loop, and one product that is the same every time."""
    out = tf.TensorArray(tf.float32, size=6)
    total = tf.zeros([4, 5])
    for t in tf.range(6):
        same = tf.matmul(xs[0], w)
        total = total + tf.matmul(same, u) * tf.cast(t, tf.float32)
        out = out.write(t, tf.reduce_sum(total))
    return total, out.stack()


def sums(xs, w, u):
    """Sums of several terms, one of them not a product; another is read by the loop itself and must stay in it."""
    items = tf.TensorArray(tf.float32, size=6, element_shape=[4, 3]).unstack(xs)
    a, b, h = tf.zeros([4, 5]), tf.zeros([]), tf.ones([4, 5])
    for t in tf.range(1, 6, 2):
        x = items.read(t)
        a = a + tf.matmul(x, w)
        h = h + tf.matmul(h, u) * 0.1
        b = b + tf.reduce_sum(tf.matmul(h, u))
    return a, b, h


def once(xs, w, u):
    h = xs[0] @ w
    for _ in tf.range(1):
        h = h @ u
    return h


def never(xs, w, u):
    h = xs[0] @ w
    for _ in tf.range(0):
        h = h @ u
    return h


def reads_its_own_list(xs, w, u):
    out = tf.TensorArray(tf.float32, size=7, clear_after_read=False, element_shape=[4, 5])
    out = out.write(0, tf.matmul(xs[0], w))
    for t in tf.range(6):
        out = out.write(t + 1, tf.tanh(tf.matmul(out.read(t), u)))
    return out.stack()


PROGRAMS = [recurrence, gradients, second_order, backwards, pushes, sums, once, never, reads_its_own_list]


def flat(result):
    return [np.asarray(t) for t in tf.nest.flatten(result)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_a_scan_means_what_the_loop_means(program):
    eager = flat(program(XS, W, U))
    f = tf.function(program)
    graph = f.get_concrete_function(XS, W, U).graph
    values = [t._value for t in (XS, W, U, *graph.external_captures)]
    interpreted = interpret(graph, values)
    compiled = [flat(f(XS, W, U)) for _ in range(3)][-1]
    assert [r.call is not None for s in plan_of(graph).steps if hasattr(s, "programs") for r in s.programs.values()]
    for a, b, c in zip(eager, interpreted, compiled, strict=True):
        np.testing.assert_allclose(a, b, rtol=5e-6, atol=5e-6)  # NumPy's products round by processor: 1.2e-6 on an EPYC
        np.testing.assert_allclose(c, b, rtol=2e-5, atol=2e-5)


def jaxpr_of(f, *args):
    """The program that the (only) region of a function is traced to."""
    graph = f.get_concrete_function(*args).graph
    f(*args), f(*args)
    (region,) = [s for s in plan_of(graph).steps if hasattr(s, "programs")]
    (program,) = region.programs.values()
    inputs = {t._id: t._value for t in args} | {i._id: o._value for o, i in graph.captured.values()}
    order = [*args, *graph.external_captures]
    assert len(region.inputs) == len(order) and inputs
    return jax.make_jaxpr(region.function_again(program.statics))([], [], [t._value for t in order])


def count(jaxpr, name):
    """How many equations of a kind stand in a program outside of loops, and how many inside."""
    outside = inside = 0
    for eqn in jaxpr.eqns:
        outside += eqn.primitive.name == name
        if eqn.primitive.name == "scan":
            body = eqn.params["jaxpr"].jaxpr
            inside += sum(count(body, name))
        assert eqn.primitive.name != "while"
    return outside, inside


def test_products_leave_the_loop():
    """Forward: the inputs' product is one, the state's stays. Backward: of three products only the state's stays."""
    assert count(jaxpr_of(tf.function(recurrence), XS, W, U).jaxpr, "dot_general") == (1, 1)
    assert count(jaxpr_of(tf.function(gradients), XS, W, U).jaxpr, "dot_general") == (4, 2)


def test_lists_in_step_are_not_carried():
    """What is pushed or written in step comes out as the scan's stack; nothing is updated in place."""
    jaxpr = jaxpr_of(tf.function(gradients), XS, W, U).jaxpr
    assert count(jaxpr, "dynamic_update_slice") == (0, 0)


def test_variables_and_checks_in_a_scan():
    """State is written in order, and a check inside the loop fails in the loop's terms.

    What was written before stays.
    """
    total = tf.Variable(tf.zeros([4, 5]))

    @tf.function
    def f(xs, w, ids):
        for t in tf.range(3):
            total.assign_add(tf.matmul(xs[0], w) * tf.gather([1.0, 2.0, 3.0], ids[t]))
        return total.read_value()

    x = (XS.numpy()[0] @ W.numpy()) * 6
    for i in range(3):
        np.testing.assert_allclose(f(XS, W, tf.constant([0, 1, 2])), x * (i + 1), rtol=1e-4, atol=1e-5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="GatherV2"):
        f(XS, W, tf.constant([0, 7, 2]))


@pytest.mark.parametrize("limit, regions", [(50, True), (10**5, False), (None, False)])
def test_a_loop_that_may_end_earlier(limit, regions):
    """A gradient through a loop whose length depends on data.

    One program if a bound is known and small enough for the lists.
    """
    size = 4 if limit == 50 else 3000

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            more = lambda i, h: tf.reduce_sum(h * h) > 1e-3
            _, h = tf.while_loop(more, lambda i, h: (i + 1, tf.tanh(h * 0.4)), (0, x), maximum_iterations=limit)
        return h, tape.gradient(h, x)

    for start in (1.0, 2.0, 1.0):
        x = np.full(size, start, np.float32)
        h, slope = x.astype(np.float64), np.ones(size)
        while (h * h).sum() > 1e-3:
            h = np.tanh(h * 0.4)
            slope *= 0.4 * (1 - h * h)
        for _ in range(2):
            got, gradient = f(tf.constant(x))
            np.testing.assert_allclose(got, h, rtol=1e-4)
            np.testing.assert_allclose(gradient, slope, rtol=1e-4)
    plan = plan_of(f.get_concrete_function(tf.constant(x)).graph)
    assert (not plan.reasons) == regions


def test_keras_layers_agree():
    """LSTM and GRU, forwards and backwards, with masks: interpreted = compiled."""
    x = tf.constant(RNG.normal(size=(3, 6, 4)).astype(np.float32))
    mask = tf.constant([[True] * 6, [True] * 4 + [False] * 2, [False] + [True] * 5])
    for make in (tf.keras.layers.LSTM, tf.keras.layers.GRU, tf.keras.layers.SimpleRNN):
        for options in ({}, {"return_sequences": True, "go_backwards": True}):
            layer = make(5, **options)
            layer.build(x.shape)

            def step(x, mask, layer=layer):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(layer(x, mask=mask) ** 2)
                return loss, tape.gradient(loss, layer.trainable_variables)

            eager, f = flat(step(x, mask)), tf.function(step)
            for _ in range(3):
                for a, b in zip(eager, flat(f(x, mask)), strict=True):
                    np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5)
