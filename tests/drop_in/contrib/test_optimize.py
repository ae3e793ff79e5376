"""`optimize_loss`: steps that a loss takes with it."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib

v1 = tf.compat.v1


def test_a_loss_is_optimised_with_clipped_gradients():
    with tf.Graph().as_default(), v1.Session() as session:
        step, w = v1.train.get_or_create_global_step(), v1.get_variable("w", initializer=3.0)
        loss = contrib.layers.optimize_loss(w * w, step, 0.5, "SGD", clip_gradients=1.0)
        session.run(v1.global_variables_initializer())
        assert session.run(loss) == 9.0 and session.run([w, step]) == [2.5, 1]
        with pytest.raises(ValueError, match="Optimizer name should be one of"):
            contrib.layers.optimize_loss(w * w, step, 0.5, "Best")


def test_gradients_are_multiplied_and_summarized():
    with tf.Graph().as_default(), v1.Session() as session:
        step, a, b = (
            v1.train.get_or_create_global_step(), v1.get_variable("a", initializer=1.0),
            v1.get_variable("b", initializer=1.0),
        )
        loss = contrib.layers.optimize_loss(
            a + b, step, 1.0, lambda rate: v1.train.GradientDescentOptimizer(rate), gradient_multipliers={"a": 0.5},
            learning_rate_decay_fn=lambda rate, _: rate * 0.1, summaries=contrib.layers.OPTIMIZER_SUMMARIES,
        )
        session.run(v1.global_variables_initializer())
        session.run(loss)
        np.testing.assert_allclose(session.run([a, b]), [0.95, 0.9], rtol=1e-6)
        tags = {value.tag for value in v1.Summary.FromString(session.run(v1.summary.merge_all())).value}
        assert {tag.removeprefix("OptimizeLoss/") for tag in tags} == {
            "learning_rate", "loss", "gradients/a", "gradients/b", "gradient_norm/a", "gradient_norm/b",
            "global_norm/gradient_norm",
        }
        with pytest.raises(ValueError, match="Summaries should be one of"):
            contrib.layers.optimize_loss(a, step, 1.0, "SGD", summaries=["all"])
