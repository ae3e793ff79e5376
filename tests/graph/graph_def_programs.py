"""Functions whose GraphDefs go from Reflow to TensorFlow and back (see `tools/golden/graph_defs.py`).

Each is traced with every dimension unknown. This file imports neither TensorFlow nor Reflow.
"""

import numpy as np

PROGRAMS: dict = {}
X = np.arange(6, dtype=np.float32).reshape(2, 3) / 4 - 0.5
N = np.int32(4)


def on(*arguments):
    def register(function):
        PROGRAMS[function.__name__] = (function, arguments)
        return function

    return register


@on(X)
def arithmetic(tf, x):
    return tf.tanh(x * 2.0 - 1.0) / (1.0 + tf.exp(-x)), tf.reduce_sum(x, axis=1, keepdims=True)


@on(X, X.T)
def arrays(tf, x, y):
    z = tf.concat([tf.matmul(x, y), tf.linalg.diag(tf.ones([2]))], axis=0)
    return (
        z[1:, ::-1], tf.reshape(z, [-1]), tf.transpose(z), tf.stack(tf.unstack(z, num=2, axis=1)),
        tf.cast(z > 0.0, tf.int32),
    )


@on(X)
def shape_arithmetic(tf, x):
    shape = tf.shape(x)
    return tf.reshape(x, [shape[1], shape[0]]), tf.broadcast_to(x[:, :1], shape), tf.fill(shape, 2.0)


@on(X)
def calls(tf, x):
    @tf.function
    def inner(y):
        return y * 2.0, tf.reduce_max(y)

    @tf.function
    def outer(y):
        a, b = inner(y)
        return a + b

    return outer(x) + outer(-x)


@on(X, N)
def branches(tf, x, n):
    y = tf.cond(n > 3, lambda: tf.cond(n > 10, lambda: x, lambda: x * 2.0), lambda: -x)
    return y, tf.switch_case(n % 3, [lambda: x, lambda: x + 1.0, lambda: x * x])


@on(X, N)
def loops(tf, x, n):
    y, _ = tf.while_loop(lambda y, i: i < n, lambda y, i: (y * 0.5 + x, i + 1), (x, 0))
    total = tf.constant(0.0)
    for row in x:
        if tf.reduce_sum(row) > 0.0:
            total += tf.reduce_max(row)
    return y, total


@on(X)
def lists(tf, x):
    rows = tf.map_fn(lambda row: tf.cumsum(row) * 2.0, x)
    a = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(3):
        a = a.write(i, tf.cast(i, tf.float32))
    return rows, a.stack(), tf.scan(lambda s, v: s * 0.5 + v, x)


@on(X, X.T * 0.5)
def gradients(tf, x, w):
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        loss = tf.reduce_mean(tf.square(tf.nn.relu(tf.matmul(x, w)) + tf.sigmoid(tf.reduce_sum(w))))
    return tape.gradient(loss, [x, w])


@on(X, N)
def gradients_of_control_flow(tf, x, n):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, _ = tf.while_loop(lambda y, i: i < n, lambda y, i: (tf.sin(y) * x, i + 1), (x, 0))
        y = tf.cond(n > 2, lambda: y * y, lambda: y)
    return tape.gradient(y, x)


@on(X)
def effects(tf, x):
    with tf.control_dependencies([tf.debugging.Assert(tf.reduce_all(x < 9.0), ["too large", x])]):
        return tf.identity(x) + 1.0


@on(np.array([b"a b", b"c"], object))
def strings(tf, s):
    return tf.strings.length(s), tf.strings.join([s, s], "-"), tf.strings.upper(s)
