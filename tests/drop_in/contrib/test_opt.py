"""Optimizers beyond those of `tf.train`."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib

v1 = tf.compat.v1


opt = contrib.opt


def trained(optimizer, steps=1, start=1.0, loss=lambda w: w * w):
    with tf.Graph().as_default(), v1.Session() as session:
        w = v1.get_variable("w", initializer=start)
        step = optimizer().minimize(loss(w))
        session.run(v1.global_variables_initializer())
        for _ in range(steps):
            session.run(step)
        return session.run(w)


def test_weights_decay_besides():
    plain = trained(lambda: v1.train.MomentumOptimizer(0.1, 0.9))
    np.testing.assert_allclose(plain, 0.8, rtol=1e-6)
    np.testing.assert_allclose(trained(lambda: opt.MomentumWOptimizer(0.01, 0.1, 0.9)), 0.99 - 0.2, rtol=2e-2)
    decayed = opt.extend_with_decoupled_weight_decay(v1.train.GradientDescentOptimizer)
    np.testing.assert_allclose(trained(lambda: decayed(0.5, 0.0)), 0.5, rtol=1e-6)
    np.testing.assert_allclose(trained(lambda: opt.AdamWOptimizer(0.5, learning_rate=0.0)), 0.5, rtol=1e-6)


def test_lazy_adam_leaves_other_rows():
    with tf.Graph().as_default(), v1.Session() as session:
        table = v1.get_variable("t", initializer=np.ones([3, 1], "f"))
        rows = v1.placeholder(tf.int32, [None])
        optimizer = opt.LazyAdamOptimizer(0.1)
        step = optimizer.minimize(tf.reduce_sum(tf.gather(table, rows)))
        session.run(v1.global_variables_initializer())
        session.run(step, {rows: [0]})
        session.run(step, {rows: [1]})
        m = session.run(optimizer.get_slot(table, "m")).ravel()
        np.testing.assert_allclose(m, [0.1, 0.1, 0.0], rtol=1e-5)


def test_averages_are_saved_in_place_of_variables(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        w = v1.get_variable("w", initializer=1.0)
        optimizer = opt.MovingAverageOptimizer(v1.train.GradientDescentOptimizer(0.5), 0.5)
        with pytest.raises(RuntimeError, match="before creating the swapping_saver"):
            optimizer.swapping_saver()
        step = optimizer.minimize(w)
        saver = optimizer.swapping_saver([w])
        session.run(v1.global_variables_initializer())
        session.run(step)
        path = saver.save(session, str(tmp_path / "m"))
        assert session.run(w) == 0.5 and tf.train.load_variable(path, "w") == 0.75


def test_scipy_minimizes():
    with tf.Graph().as_default(), v1.Session() as session:
        w = v1.get_variable("w", initializer=np.array([4.0, -3.0], "f"))
        seen = []
        optimizer = opt.ScipyOptimizerInterface(
            tf.reduce_sum((w - 1.0) ** 2), method="L-BFGS-B", options={"maxiter": 50}
        )
        session.run(v1.global_variables_initializer())
        optimizer.minimize(session, fetches=[w], loss_callback=lambda loss, value: seen.append(float(loss)))
        np.testing.assert_allclose(session.run(w), [1.0, 1.0], atol=1e-4)
        assert seen[0] == 25.0 and seen[-1] < 1e-6
        bounded = opt.ScipyOptimizerInterface(tf.reduce_sum((w - 1.0) ** 2), var_to_bounds={w: (2.0, 5.0)})
        bounded.minimize(session)
        np.testing.assert_allclose(session.run(w), [2.0, 2.0], atol=1e-4)
