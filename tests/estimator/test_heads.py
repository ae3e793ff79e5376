"""Heads against values worked out with NumPy, and estimators with heads of the program's choice."""

import numpy as np
import pytest

import reflow as tf

v1 = tf.compat.v1
LOGITS = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, -1.0]], np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def cross_entropy(labels, logits):
    return -(labels * np.log(sigmoid(logits)) + (1 - labels) * np.log(1 - sigmoid(logits)))


def evaluated(head, logits, labels, features=None):
    """Loss and metrics of one batch."""
    with tf.Graph().as_default(), v1.Session() as session:
        spec = head.create_estimator_spec(features or {}, "eval", tf.constant(logits), labels())
        updates, values = ({k: pair[i] for k, pair in spec.eval_metric_ops.items()} for i in (1, 0))
        session.run([v1.local_variables_initializer(), v1.tables_initializer()])
        session.run(updates)
        return session.run(spec.loss), session.run(values)


def test_several_labels_dense_and_sparse():
    labels = np.array([[1, 0, 1], [0, 1, 0]], np.float32)
    wanted = cross_entropy(labels, LOGITS).mean(1)
    for make in (
        lambda: tf.constant(labels),
        lambda: tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 2, 1], tf.int64), [2, 2]),
    ):
        plain = tf.estimator.MultiLabelHead(3, thresholds=[0.5], classes_for_class_based_metrics=[1])
        loss, metrics = evaluated(plain, LOGITS, make)
        np.testing.assert_allclose(loss, wanted.mean(), rtol=1e-5)
        # a logit of 0 is a chance of just the threshold: it counts as yes for the accuracy alone
        assert metrics["accuracy/positive_threshold_0.5"] == pytest.approx(5 / 6)
        assert metrics["precision/positive_threshold_0.5"] == pytest.approx(1.0)
        assert metrics["probability_mean/class1"] == pytest.approx(sigmoid(LOGITS[:, 1]).mean())
    with pytest.raises(ValueError, match="thresholds not in"):
        tf.estimator.MultiLabelHead(3, thresholds=[1.5])
    with pytest.raises(ValueError, match="n_classes must be > 1"):
        tf.estimator.MultiLabelHead(1)


def test_counts_chances_and_a_loss_of_the_programs_own():
    logits, labels = LOGITS[:, :1], np.array([[2.0], [1.0]], np.float32)
    loss, metrics = evaluated(
        tf.estimator.PoissonRegressionHead(compute_full_loss=False), logits, lambda: tf.constant(labels)
    )
    np.testing.assert_allclose(loss, (np.exp(logits) - labels * logits).mean(), rtol=1e-5)
    assert metrics["prediction/mean"] == pytest.approx(np.exp(logits).mean())
    loss, _ = evaluated(tf.estimator.LogisticRegressionHead(), logits, lambda: tf.constant(labels / 4))
    np.testing.assert_allclose(loss, cross_entropy(labels / 4, logits).mean(), rtol=1e-5)
    absolute = tf.estimator.RegressionHead(loss_fn=lambda labels, logits: tf.abs(labels - logits), loss_reduction="sum")
    assert evaluated(absolute, logits, lambda: tf.constant(labels))[0] == pytest.approx(np.abs(labels - logits).sum())
    with pytest.raises(ValueError, match="Invalid loss_reduction"):
        tf.estimator.RegressionHead(loss_reduction="none")


def test_several_heads_on_one_model():
    heads = [tf.estimator.RegressionHead(name="size"), tf.estimator.MultiLabelHead(2, name="kind")]
    head = tf.estimator.MultiHead(heads, head_weights=[1.0, 2.0])
    sizes, kinds = np.array([[1.5], [0.0]], np.float32), np.array([[0.0, 1.0], [1.0, 0.0]], np.float32)
    first, second = np.mean((sizes - LOGITS[:, :1]) ** 2), cross_entropy(kinds, LOGITS[:, 1:]).mean()
    loss, metrics = evaluated(head, LOGITS, lambda: {"size": tf.constant(sizes), "kind": tf.constant(kinds)})
    np.testing.assert_allclose(
        [loss, metrics["loss/size"], metrics["average_loss/kind"]], [first + 2 * second, first, second], rtol=1e-5
    )
    with tf.Graph().as_default():
        spec = head.create_estimator_spec({}, "infer", tf.constant(LOGITS))
        assert ("kind", "probabilities") in spec.predictions and "predict/size" in spec.export_outputs
    with pytest.raises(ValueError, match="must have name"):
        tf.estimator.MultiHead([tf.estimator.RegressionHead()])


def test_an_estimator_with_a_head_trains_and_predicts(tmp_path):
    x = np.linspace(-1, 1, 16).astype("float32")
    labels = np.stack([x > 0, x < 0.5], 1).astype("float32")
    column = tf.feature_column.numeric_column("x")

    def inputs():
        return tf.data.Dataset.from_tensor_slices(({"x": x}, labels)).batch(16).repeat(60)

    head = tf.estimator.MultiLabelHead(2)
    made = tf.estimator.LinearEstimator(head, [column], str(tmp_path), v1.train.AdamOptimizer(0.3)).train(inputs)
    assert made.evaluate(inputs, steps=1)["auc"] > 0.99
    assert next(made.predict(inputs))["probabilities"].shape == (2,)


def test_a_head_trains_with_an_optimizer_or_a_function():
    with tf.Graph().as_default(), v1.Session() as session:
        w, step = v1.get_variable("w", initializer=[[1.0]]), v1.train.get_or_create_global_step()
        logits, labels = tf.constant([[2.0]]) @ w, tf.constant([[1.0]])
        head = tf.estimator.RegressionHead()
        spec = head.create_estimator_spec({}, "train", logits, labels, v1.train.GradientDescentOptimizer(0.1), [w])
        session.run(v1.global_variables_initializer())
        session.run(spec.train_op)
        assert session.run([w, step])[0].item() == pytest.approx(1.0 - 0.1 * 2 * (2 - 1) * 2) and session.run(step) == 1
        with pytest.raises(ValueError, match="cannot both be None"):
            head.create_estimator_spec({}, "train", logits, labels)
        with pytest.raises(ValueError, match="must provide a labels Tensor"):
            head.create_estimator_spec({}, "eval", logits)
