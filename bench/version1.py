"""Rows of `make bench` for TensorFlow 1: a small graph run in a session, and a training step that is fed."""

from __future__ import annotations

import numpy as np
from programs import Step, normal, row


@row("Session.run of a small graph", group="version 1", target=3.0)
def session_run(tf) -> Step:
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [10, 10])
        y = tf.reduce_sum(tf.tanh(x * 2.0) + 1.0)
        session = v1.Session(graph=graph)
    value = normal(10, 10)
    return lambda: session.run(y, {x: value})


@row("version 1 training step, MLP 784-100-10, batch 50", group="version 1", target=1.5)
def training_step(tf) -> Step:
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x, labels = v1.placeholder(tf.float32, [None, 784]), v1.placeholder(tf.int64, [None])
        w1, b1 = v1.Variable(normal(784, 100, seed=1) * 0.05), v1.Variable(np.zeros(100, np.float32))
        w2, b2 = v1.Variable(normal(100, 10, seed=2) * 0.05), v1.Variable(np.zeros(10, np.float32))
        logits = tf.nn.relu(x @ w1 + b1) @ w2 + b2
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        train = v1.train.AdamOptimizer(0.001).minimize(loss)
        session = v1.Session(graph=graph)
        session.run(v1.global_variables_initializer())
    feeds = {x: normal(50, 784), labels: np.arange(50) % 10}
    return lambda: session.run([train, loss], feeds)[1]
