"""Evaluation over batches with the metrics of version 1, whose local variables are reset between two rounds."""

import numpy as np
import tensorflow.compat.v1 as tf

labels, scores = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.float32, [None])
predicted = tf.cast(scores > 0.5, tf.int64)
found = {
    "accuracy": tf.metrics.accuracy(labels, predicted),
    "auc": tf.metrics.auc(labels, scores),
    "precision": tf.metrics.precision(labels, predicted),
    "recall": tf.metrics.recall(labels, predicted),
    "mean": tf.metrics.mean(scores),
    "error": tf.metrics.root_mean_squared_error(tf.cast(labels, tf.float32), scores),
}
values, updates = ({name: pair[i] for name, pair in found.items()} for i in range(2))
rng = np.random.RandomState(8)
with tf.Session() as session:
    for _ in range(2):
        session.run(tf.local_variables_initializer())
        for _ in range(3):
            truth = rng.randint(0, 2, 10)
            session.run(updates, {labels: truth, scores: np.clip(truth * 0.4 + rng.rand(10) * 0.6, 0, 1)})
        print({name: round(float(v), 4) for name, v in session.run(values).items()})
print(len(tf.local_variables()), tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)[0].name)
