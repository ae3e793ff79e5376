"""The tape's further methods: Jacobians, forward mode, structures, unconnected gradients."""

import weakref

import numpy as np
import pytest

import reflow as tf


def test_jacobian_in_eager_code_and_functions():
    x = tf.constant([1.0, 2.0, 3.0])

    def jacobian():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.stack([tf.reduce_sum(x * x), x[0] * x[2]])
        return tape.jacobian(y, x)

    expected = [[2, 4, 6], [3, 0, 1]]
    np.testing.assert_allclose(jacobian().numpy(), expected)
    function = tf.function(jacobian)
    for _ in range(3):
        np.testing.assert_allclose(function().numpy(), expected)


def test_batch_jacobian():
    x, w = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.matmul(x, w) ** 2
    np.testing.assert_allclose(tape.batch_jacobian(y, x).numpy(), [[[14, 42], [40, 80]], [[30, 90], [88, 176]]])


def test_forward_accumulator():
    x, v = tf.Variable([1.0, 2.0]), tf.constant([1.0, -1.0])
    with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
        y = tf.reduce_sum(tf.sin(x) * x)
        z = tf.constant(1.0)
    expected = sum((np.cos(a) * a + np.sin(a)) * d for a, d in ((1.0, 1.0), (2.0, -1.0)))
    np.testing.assert_allclose(accumulator.jvp(y).numpy(), expected, rtol=1e-6)
    assert accumulator.jvp(z) is None
    assert accumulator.jvp(z, unconnected_gradients="zero").numpy() == 0.0


def test_forward_over_reverse_gives_a_hessian_vector_product():
    x, v = tf.constant([1.0, 2.0]), tf.constant([1.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x**3) + x[0] * x[1]
        gradient = tape.gradient(y, x)
    np.testing.assert_allclose(accumulator.jvp(gradient).numpy(), [6 * 1 * 1 + 3, 6 * 2 * 3 + 1], rtol=1e-6)


def test_unconnected_and_structured_gradients():
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        z = x * x
    assert tape.gradient(z, {"a": x, "b": [y]})["b"] == [None]
    zero = tape.gradient(z, [y], unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert zero[0].numpy() == 0.0
    assert tape.gradient(z, x, output_gradients=tf.constant(10.0)).numpy() == 40.0


def test_stop_recording_reset_and_watched_variables():
    x, y = tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        z = x * y
        with tape.stop_recording():
            z = z * 100.0
        w = x * 2.0
    assert [v.name for v in tape.watched_variables()] == [x.name]
    assert tape.gradient([z, w], x).numpy() == 2.0
    with tf.GradientTape() as tape:
        z = x * x
        tape.reset()
        z = x * 3.0
    assert tape.gradient(z, x).numpy() == 3.0


def test_recompute_grad_and_custom_gradient_with_variables():
    w = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x):
        y = x * w

        def grad(dy, variables=None):
            return dy * 10.0, [dy * 100.0 for _ in variables]

        return y, grad

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert [g.numpy() for g in tape.gradient(y, [x, w])] == [10.0, 100.0]
    with pytest.raises(TypeError, match="variables"):
        tf.custom_gradient(lambda x: (x * w, lambda dy: dy))(x)


def test_a_chain_of_100000_ops_differentiates():
    """The reverse pass is a loop: no depth of recursion, and time that grows with the length only."""
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * 1.0
        for _ in range(100_000 - 1):
            y = y + 1.0
    assert tape.gradient(y, x).numpy() == 1.0
    assert y.numpy() == 100_000.0


def test_an_operand_that_was_not_watched_has_no_gradient():
    x, c = tf.Variable([1.0, 2.0]), tf.constant([3.0, 4.0])
    for make in (
        lambda: x * c, lambda: tf.concat([x, c], 0), lambda: tf.maximum(x, c), lambda: tf.function(lambda a: x / a)(c)
    ):
        with tf.GradientTape(persistent=True) as tape:
            y = make()
        assert tape.gradient(y, c) is None
        slope, none = tape.gradient(y, [x, c])
        assert slope is not None and none is None
        assert tape.jacobian(y, c) is None
    assert tape.gradient(c, c).numpy().tolist() == [1.0, 1.0]  # a target is its own derivative, watched or not


def test_tangents_end_with_their_primals():
    x, tangent = tf.ones([3]), tf.zeros([3])
    gone = weakref.ref(tangent)
    with tf.autodiff.ForwardAccumulator(x, tangent) as acc:
        y = 2.0 * x
        del tangent, x
        assert gone() is None
        of_y = acc.jvp(y)
        assert of_y.numpy().tolist() == [0.0] * 3
        gone_y = weakref.ref(of_y)
        del y, of_y
        assert gone_y() is None


def test_what_is_inside_an_accumulator_does_not_see_its_products():
    x = tf.constant(1.1)
    with (
        tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as outer,
        tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as inner,
    ):
        y = x**3.5
    assert inner.jvp(outer.jvp(y)) is None and abs(outer.jvp(inner.jvp(y)).numpy() - 3.5 * 2.5 * 1.1**1.5) < 1e-5
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc, tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cos(x)
    assert tape.gradient(acc.jvp(y), x) is None


def test_a_copy_on_the_cpu_is_another_tensor():
    x = tf.constant([1, 2])
    assert x.cpu() is not x and x.cpu().numpy().tolist() == [1, 2]
