"""Loss scales: fixed and dynamic ones, in eager code and in graphs, and the optimizer around another."""

import numpy as np
import pytest

import reflow as tf

v1 = tf.compat.v1
scales = v1.train.experimental


def test_a_dynamic_scale_grows_after_good_steps_and_falls_after_bad_ones():
    scale = scales.DynamicLossScale(initial_loss_scale=8.0, increment_period=2)
    seen = []
    for gradient in (1.0, 1.0, np.inf, np.nan, 1.0, 1.0):
        _, applies = scale.update([tf.constant(gradient), None])
        seen.append((bool(applies), float(scale())))
    assert seen == [(True, 8.0), (True, 16.0), (False, 8.0), (False, 4.0), (True, 4.0), (True, 8.0)]
    assert scales.DynamicLossScale.from_config(scale.get_config()).initial_loss_scale == 8.0
    assert repr(scale).startswith("DynamicLossScale(current_loss_scale=8.0, num_good_steps=0, initial_loss_scale=8.0")


def test_a_fixed_scale_refuses_what_is_no_scale():
    assert repr(scales.FixedLossScale(2)) == "FixedLossScale(2.0)"
    with pytest.raises(ValueError, match="must be at least 1"):
        scales.FixedLossScale(0.5)
    with pytest.raises(ValueError, match="must be a Python int or float"):
        scales.FixedLossScale(tf.constant(1.0))


@pytest.mark.parametrize("inner", [v1.train.GradientDescentOptimizer, v1.train.AdamOptimizer])
def test_steps_that_are_not_finite_are_left_out_in_a_graph(inner):
    with tf.Graph().as_default(), v1.Session() as session:
        x, bad = tf.Variable(3.0), v1.placeholder_with_default(1.0, [])
        optimizer = scales.MixedPrecisionLossScaleOptimizer(
            inner(0.5), scales.DynamicLossScale(4.0, increment_period=1)
        )
        step = optimizer.minimize(x * bad, var_list=[x])
        session.run(v1.global_variables_initializer())
        session.run(step)
        after_one = session.run(x)
        np.testing.assert_allclose(after_one, 2.5, rtol=1e-5)
        session.run(step, {bad: np.inf})
        assert session.run(x) == after_one
        assert session.run(optimizer._loss_scale()) == 4.0  # 8 after the good step
