"""What a session fetches beside a training step; runs in several steps; the structures that loops return."""

import glob

import numpy as np
import tensorflow.compat.v1 as tf

v = tf.get_variable("v", initializer=1.0)
w = tf.get_variable("w", initializer=[1.0, 2.0])
assigned, plus_one = v.assign(5.0), v + 1.0
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(w * w), var_list=[w])
loss_built_later = tf.reduce_sum(w * w)
a, b, c = (tf.placeholder(tf.float32, []) for _ in range(3))
drawn = a + b + tf.random_uniform([])
scaled = drawn * c
with tf.control_dependencies([tf.assign_add(v, 1.0)]):
    after = drawn + 0.0
printed = tf.Print(w, [w, v], message="unseen", first_n=0)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run([assigned, v]), session.run([plus_one, v]))
    print(session.run([train, loss_built_later]), session.run(w), session.run(tf.gradients(printed * 2.0, w)))
    handle = session.partial_run_setup([drawn, scaled, after], [a, b, c])
    first = session.partial_run(handle, drawn, feed_dict={a: 1, b: 2})
    second = session.partial_run(handle, scaled, feed_dict={c: 10})
    print(np.isclose(first * 10, second), session.partial_run(handle, after) == first, session.run(v))
    writer = tf.summary.FileWriter("logs", session=session)
    writer.add_summary(session.run(tf.summary.scalar("s", 1.0)), 3)
    writer.close()
    print([e.WhichOneof("what") for e in tf.train.summary_iterator(glob.glob("logs/*")[0])])

one, two = tf.constant(0), tf.constant(1)
loops = [
    tf.while_loop(lambda i, j: i < 3, lambda i, j: (i + 1, j * 2), [one, two]),
    tf.while_loop(lambda i, j: i < 3, lambda i, j: [i + 1, j * 2], (one, two)),
    tf.while_loop(lambda i: i < 3, lambda i: i + 1, [one], return_same_structure=True),
    tf.while_loop(lambda i, d: i < 3, lambda i, d: (i + 1, {"a": d["a"] + 1}), (one, {"a": two})),
]
print(
    [type(loop).__name__ for loop in loops],
    isinstance(tf.while_loop(lambda i: i < 3, lambda i: i + 1, [one]), tf.Tensor),
)
