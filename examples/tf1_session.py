"""A program of TensorFlow 1: placeholders, variables in scopes, an optimizer, a saver, and a session that runs the
graph.

    python -m reflow examples/tf1_session.py

`import tensorflow.compat.v1 as tf` is all that changed since 2016. `reflow upgrade` rewrites such programs for
TensorFlow 2.
"""

import os
import sys
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

FAST = "--fast" in sys.argv


def dense(x, units, name):
    """Variables are found by their scope and name."""
    with tf.variable_scope(name):
        w = tf.get_variable("w", [x.shape[1], units], initializer=tf.glorot_uniform_initializer(seed=1))
        b = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
        return tf.matmul(x, w) + b


def build():
    """First the graph is built. Nothing is computed here."""
    x, y = tf.placeholder(tf.float32, [None, 2], name="x"), tf.placeholder(tf.float32, [None, 1], name="y")
    logits = dense(tf.nn.tanh(dense(x, 8, "hidden")), 1, "out")
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
    step = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=step)
    return x, y, tf.sigmoid(logits), loss, train, step


if __name__ == "__main__":
    tf.disable_v2_behavior()
    tf.set_random_seed(0)
    x, y, guess, loss, train, step = build()
    print(f"a graph of {len(tf.get_default_graph().get_operations())} operations")
    data, truth = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], "float32"), np.array([[0], [1], [1], [0]], "float32")
    saver, path = tf.train.Saver(), os.path.join(tempfile.mkdtemp(), "model.ckpt")

    with tf.Session() as session:  # then a session runs parts of it, as often as one likes
        session.run(tf.global_variables_initializer())
        for _ in range(50 if FAST else 300):
            _, value = session.run([train, loss], feed_dict={x: data, y: truth})
        print(f"exclusive or, after {session.run(step)} steps: loss {value:.4f}")
        saver.save(session, path)

    with tf.Session() as session:
        saver.restore(session, path)
        answers = session.run(guess, {x: data}).ravel()
        print(f"restored in a new session: {dict(zip(['00', '01', '10', '11'], answers.round(2).tolist()))}")
    print(f"variables: {[v.name for v in tf.trainable_variables()]}")
