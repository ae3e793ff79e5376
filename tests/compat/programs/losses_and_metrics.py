"""Losses with weights and reductions; metrics that grow batch by batch."""

import numpy as np
import tensorflow.compat.v1 as tf

y = tf.constant([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
p = tf.constant([[0.2, 0.7, 0.4], [0.9, 0.3, 0.6]])
logits = tf.constant([[0.5, -1.0, 2.0], [1.5, 0.2, -0.3]])
weights = tf.constant([[1.0], [0.0]])
losses = tf.losses
each = [
    losses.absolute_difference(y, p),
    losses.mean_squared_error(y, p, weights),
    losses.huber_loss(y, p, delta=0.25),
    losses.log_loss(y, p),
    losses.hinge_loss(y, logits),
    losses.cosine_distance(y, p, axis=1),
    losses.mean_pairwise_squared_error(y, p),
    losses.sigmoid_cross_entropy(y, logits, label_smoothing=0.1),
    losses.softmax_cross_entropy(y, logits, label_smoothing=0.2),
    losses.sparse_softmax_cross_entropy([2, 0], logits),
]
reduced = [
    losses.mean_squared_error(y, p, [[2.0], [0.5]], reduction=r, loss_collection=None)
    for r in sorted(set(losses.Reduction.all()))
]
tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(0.5))
with tf.Session() as session:
    print([round(float(v), 5) for v in session.run(each)])
    print([np.round(v, 5).tolist() for v in session.run(reduced)])
    print(
        len(losses.get_losses()), round(float(session.run(losses.get_total_loss())), 4),
        session.run(losses.get_regularization_loss()),
    )
for wrong in (
    lambda: losses.mean_squared_error(y, p, [1.0, 2.0]),
    lambda: losses.mean_squared_error(None, p),
    lambda: losses.mean_squared_error(y, p, reduction="sum"),
    lambda: losses.cosine_distance(y, p),
):
    try:
        wrong()
    except ValueError as error:
        print(str(error).split(". Received")[0].split(" values=")[0])

tf.reset_default_graph()
labels, guesses, w = (tf.placeholder(tf.float32, [None]) for _ in range(3))
metrics = tf.metrics
pairs = {
    "mean": metrics.mean(guesses, w),
    "accuracy": metrics.accuracy(labels, tf.round(guesses)),
    "precision": metrics.precision(labels, tf.round(guesses)),
    "recall": metrics.recall(labels, tf.round(guesses), w),
    "mae": metrics.mean_absolute_error(labels, guesses),
    "mse": metrics.mean_squared_error(labels, guesses, w),
    "rmse": metrics.root_mean_squared_error(labels, guesses),
    "relative": metrics.mean_relative_error(labels, guesses, labels + 1.0),
    "below": metrics.percentage_below(guesses, 0.5),
    "tp": metrics.true_positives(labels, tf.round(guesses)),
    "fp": metrics.false_positives(labels, tf.round(guesses)),
    "tn": metrics.true_negatives(labels, tf.round(guesses)),
    "fn": metrics.false_negatives(labels, tf.round(guesses)),
    "auc": metrics.auc(labels, guesses),
    "pr": metrics.auc(labels, guesses, curve="PR", summation_method="careful_interpolation"),
    "auc_w": metrics.auc(labels, guesses, w, num_thresholds=20),
    "p@": metrics.precision_at_thresholds(labels, guesses, [0.3, 0.7]),
    "r@": metrics.recall_at_thresholds(labels, guesses, [0.3, 0.7]),
    "tp@": metrics.true_positives_at_thresholds(labels, guesses, [0.3, 0.7]),
    "fn@": metrics.false_negatives_at_thresholds(labels, guesses, [0.3, 0.7], w),
    "sens": metrics.sensitivity_at_specificity(labels, guesses, 0.5),
    "spec": metrics.specificity_at_sensitivity(labels, guesses, 0.5),
    "tensor": metrics.mean_tensor(tf.constant([[1.0, 2.0]])),
    "iou": metrics.mean_iou(labels, tf.round(guesses), 2),
    "per class": metrics.mean_per_class_accuracy(labels, tf.round(guesses), 2),
    "cosine": metrics.mean_cosine_distance(y_ := tf.constant([[0.6, 0.8]]), y_, 1),
}
values, updates = ({k: pair[i] for k, pair in pairs.items()} for i in (0, 1))
print(values["mean"].name, updates["mean"].name, values["auc"].name)
print(len(tf.local_variables()), len(tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)))
print([v.name for v in tf.local_variables()][:8])
feeds = [
    {labels: [0, 1, 1, 0], guesses: [0.1, 0.8, 0.4, 0.6], w: [1, 2, 1, 0.5]},
    {labels: [1, 1, 0, 0], guesses: [0.9, 0.2, 0.3, 0.7], w: [1, 0, 1, 1]},
]
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    for feed in feeds:
        session.run(updates, feed)
        for name, value in session.run(values).items():
            print(name, np.round(value, 4).tolist())

tf.reset_default_graph()
scores = tf.constant([[0.1, 0.6, 0.3, 0.0], [0.5, 0.1, 0.2, 0.2], [0.2, 0.2, 0.1, 0.5]])
several = tf.constant([[1, 2], [3, 1], [3, 0]], tf.int64)
one = tf.constant([2, 0, 1], tf.int64)
pairs = [
    metrics.precision_at_k(several, scores, 2),
    metrics.recall_at_k(several, scores, 2),
    metrics.recall_at_k(one, scores, 2, class_id=2),
    metrics.precision_at_k(several, scores, 1, weights=[1.0, 2.0, 0.0]),
    metrics.average_precision_at_k(several, scores, 3),
    metrics.recall_at_top_k(one, tf.constant([[2], [1], [1]], tf.int64), 1),
]
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    print(
        [round(float(v), 4) for v in session.run([u for _, u in pairs])],
        [round(float(v), 4) for v in session.run([v for v, _ in pairs])],
    )
