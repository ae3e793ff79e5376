"""Estimators of the user's models, fed with arrays."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib

v1 = tf.compat.v1


learn = contrib.learn
X, Y = np.arange(8, dtype=np.float32).reshape(8, 1), np.arange(8, dtype=np.float32) * 2.0


def model_fn(features, targets, mode, params):
    weight = v1.get_variable("w", initializer=0.0)
    found = tf.reshape(features, [-1]) * weight
    loss = v1.losses.mean_squared_error(targets, found)
    train = contrib.layers.optimize_loss(loss, contrib.framework.get_global_step(), params["rate"], "SGD")
    return learn.ModelFnOps(mode, {"y": found}, loss, train, {"error": v1.metrics.mean_absolute_error(targets, found)})


def test_a_model_is_fitted_evaluated_and_asked(tmp_path):
    estimator = learn.Estimator(model_fn, model_dir=str(tmp_path), params={"rate": 0.02})
    assert estimator.fit(X, Y, steps=100) is estimator
    assert estimator.get_variable_names() == ["global_step", "w"] or "w" in estimator.get_variable_names()
    np.testing.assert_allclose(estimator.get_variable_value("w"), 2.0, rtol=1e-4)
    most = learn.MetricSpec(contrib.metrics.streaming_mean_squared_error, prediction_key="y")
    values = estimator.evaluate(X, Y, batch_size=4, metrics={"square": most})
    assert (
        values["global_step"] == 100 and set(values) == {"loss", "error", "square", "global_step"}
        and values["square"] < 1e-3
    )
    one, *_ = estimator.predict(X, batch_size=3)
    assert set(one) == {"y"} and one["y"] == 0.0
    np.testing.assert_allclose(estimator.predict(X, as_iterable=False)["y"], Y, rtol=1e-3)
    estimator.partial_fit(X, Y)
    assert estimator.get_variable_value("global_step") == 101


def test_the_oldest_form_of_model_functions():
    def triple(features, labels):
        weight = v1.get_variable("w", initializer=1.0)
        loss = tf.reduce_mean((weight - labels) ** 2)
        return tf.reshape(features, [-1]) * weight, loss, contrib.layers.optimize_loss(loss, None, 0.5, "SGD")

    estimator = learn.SKCompat(learn.Estimator(triple))
    estimator.fit(X, np.full(8, 3.0, "f"), batch_size=8, steps=1)
    assert estimator.predict(X, batch_size=5).tolist() == (X.ravel() * 3.0).tolist()
    assert estimator.score(X, np.full(8, 3.0, "f"))["loss"] == 0.0


def test_wrong_calls_raise():
    with pytest.raises(ValueError, match="model_fn must be provided"):
        learn.Estimator()
    with pytest.raises(ValueError, match="does not have a params argument"):
        learn.Estimator(lambda features, labels: None, params={"a": 1})
    estimator = learn.Estimator(lambda features, labels: (1, 2))
    with pytest.raises(ValueError, match="please return ModelFnOps"):
        estimator.fit(X, Y, steps=1)
    with pytest.raises(ValueError, match="both steps and max_steps"):
        estimator.fit(X, Y, steps=1, max_steps=2)
    with pytest.raises(ValueError, match="feed_fn is not supported"):
        estimator.evaluate(X, Y, feed_fn=dict)
