"""Canned estimators fed with arrays."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib

v1 = tf.compat.v1


learn = contrib.learn
RNG = np.random.RandomState(0)
X = RNG.randn(60, 2).astype("f")
CLASSES = (X[:, 0] > 0).astype(np.int32) + (X[:, 1] > 0)


def test_classes_by_a_network():
    columns = learn.infer_real_valued_columns_from_input(X)
    model = learn.DNNClassifier(
        [8], columns, n_classes=3, gradient_clip_norm=5.0, config=learn.RunConfig(tf_random_seed=1)
    )
    model.fit(X, CLASSES, steps=60)
    values = model.evaluate(X, CLASSES, metrics={"share": contrib.metrics.streaming_accuracy})
    assert set(values) == {"accuracy", "loss", "global_step", "share"} and values["accuracy"] == values["share"] > 0.6
    classes = list(model.predict(X))
    assert (
        classes == list(model.predict_classes(X))
        and np.mean(np.array(classes) == CLASSES) == pytest.approx(float(values["accuracy"]))
    )
    chances = np.array(list(model.predict_proba(X)))
    np.testing.assert_allclose(chances.sum(1), 1.0, rtol=1e-5)
    whole = learn.SKCompat(model).predict(X)
    assert (
        set(whole) == {"classes", "probabilities", "logits"} and whole["classes"].tolist() == [int(c) for c in classes]
    )
    assert set(next(iter(model.predict(X, outputs=["logits"])))) == {"logits"}


def test_two_classes_by_a_linear_model():
    model = learn.LinearClassifier(
        [contrib.layers.real_valued_column("", dimension=2)], optimizer=v1.train.GradientDescentOptimizer(0.5)
    )
    labels = (X[:, 0] > 0).astype(np.int32)
    model.fit(X, labels, steps=30)
    values = model.evaluate(X, labels)
    key = learn.MetricKey
    assert (
        values["accuracy"] > 0.9
        and values[key.ACCURACY_BASELINE] == values[key.LABEL_MEAN] == pytest.approx(labels.mean(), rel=1e-5)
    )
    assert (
        values[key.ACCURACY_MEAN % 0.5] == values["accuracy"] and "precision/positive_threshold_0.500000_mean" in values
    )
    (weights,) = model.weights_.values()
    assert abs(weights[0, 0]) > abs(weights[1, 0]) and model.bias_.shape == (1,)


def test_numbers_and_the_loss_is_a_mean():
    columns = learn.infer_real_valued_columns_from_input(X)
    y = X @ np.array([1.0, -2.0], "f") + 3.0
    linear = learn.LinearRegressor(columns, optimizer=v1.train.GradientDescentOptimizer(0.3)).fit(X, y, steps=60)
    assert linear.evaluate(X, y)["loss"] < 1e-3
    np.testing.assert_allclose(list(linear.predict(X)), y, atol=0.1)
    start = learn.DNNRegressor([2], columns, optimizer=v1.train.GradientDescentOptimizer(0.0)).fit(X, y, steps=1)
    scores = np.array(list(start.predict_scores(X)))
    np.testing.assert_allclose(start.evaluate(X, y)["loss"], np.mean((scores - y) ** 2), rtol=1e-4)


def test_both_together():
    columns = learn.infer_real_valued_columns_from_input(X)
    labels = (X[:, 0] > 0).astype(np.int32)
    model = learn.DNNLinearCombinedClassifier(
        linear_feature_columns=columns, dnn_feature_columns=columns, dnn_hidden_units=[4]
    )
    assert model.fit(X, labels, steps=20).evaluate(X, labels)["accuracy"] > 0.7
    numbers = learn.DNNLinearCombinedRegressor(linear_feature_columns=columns)
    assert np.isfinite(numbers.fit(X, X[:, 0], steps=5).evaluate(X, X[:, 0])["loss"])
    with pytest.raises(ValueError, match="enable_centered_bias"):
        learn.LinearRegressor(columns, enable_centered_bias=True)
