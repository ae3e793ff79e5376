"""Programs of `tf.vectorized_map`, and Jacobians inside functions."""

import numpy as np

from tests.function.control_table import program

X = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
W = [[1.0, 0.5], [0.2, 1.0]]


@program(X, grad=2)
def vectorized_rows(tf, x):
    return tf.vectorized_map(lambda r: tf.reduce_sum(r * r * r), x)


@program(X, W, grad=2)
def vectorized_matvec(tf, x, w):
    return tf.vectorized_map(lambda r: tf.tanh(tf.linalg.matvec(w, r * 0.1)), x)


@program(X, [1, 2, 3], grad=1)
def vectorized_structures(tf, x, n):
    return tf.vectorized_map(
        lambda e: {"a": e[0] * tf.cast(e[1], tf.float32), "b": [e[1] + 1, tf.reduce_max(e[0])]}, (x, n)
    )


@program(X)
def vectorized_constant_result(tf, x):
    return tf.vectorized_map(lambda r: (tf.constant(3), tf.ones([2]), r), x)


@program([[1.0, 2.0]], X)
def vectorized_broadcast(tf, one, x):
    """A first dimension of one stands for every row."""
    return tf.vectorized_map(lambda e: e[0] + e[1], (one, x))


@program(X, grad=1)
def vectorized_gather(tf, x):
    return tf.vectorized_map(lambda r: tf.gather(r, [1, 0, 1]) * r[0], x)


@program([0, 2, 1], X, grad=1)
def vectorized_gather_outer(tf, i, x):
    return tf.vectorized_map(lambda k: tf.gather(x * x, k), i)


@program(X, grad=1)
def vectorized_shapes(tf, x):
    """Reshapes, transposes, concatenations and slices of the rows."""
    return tf.vectorized_map(
        lambda r: (
            tf.reshape(r, [2, 1]) * tf.expand_dims(r, 0),
            tf.concat([r, r[::-1]], 0),
            tf.transpose(tf.stack([r, r])),
            tf.pad(r, [[1, 0]]),
            tf.tile(r, [2]),
        ),
        x,
    )


@program(np.arange(24, dtype=np.float32).reshape(3, 2, 4) / 7, np.arange(12, dtype=np.float32).reshape(4, 3), grad=1)
def vectorized_matmul(tf, x, w):
    return tf.vectorized_map(lambda m: tf.nn.softmax(tf.matmul(m, w)) + tf.einsum("ij,jk->ik", m, w), x)


@program(X, [True, False, True], grad=1)
def vectorized_cond(tf, x, p):
    return tf.vectorized_map(lambda e: tf.cond(e[1], lambda: e[0] * e[0], lambda: -e[0]), (x, p))


@program(X, [1, 3, 2], grad=0)
def vectorized_while(tf, x, n):
    """Every row has its own number of iterations."""
    return tf.vectorized_map(
        lambda e: tf.while_loop(lambda i, y: i < e[1], lambda i, y: (i + 1, y * 2.0), (0, e[0]))[1], (x, n)
    )


@program(X, grad=1, state=lambda tf: {"w": tf.Variable([2.0, 3.0])})
def vectorized_variable(tf, s, x):
    return tf.vectorized_map(lambda r: r * s["w"] * r, x)


@program(X)
def vectorized_captures_integers(tf, x):
    n = tf.shape(x)[0]
    return tf.vectorized_map(lambda r: tf.cast(n, tf.float32) * r, x)


@program(X, text=False)
def vectorized_no_fallback(tf, x):
    return tf.vectorized_map(lambda r: tf.py_function(lambda a: a, [r], tf.float32), x, fallback_to_while_loop=False)


@program(X)
def vectorized_fallback(tf, x):
    return tf.vectorized_map(
        lambda r: tf.py_function(lambda a: a * 2.0, [r], tf.TensorSpec([2], tf.float32)), x, warn=False
    )


@program([1.0, 2.0], [1, 2, 3], text=False)
def vectorized_uneven(tf, x, n):
    return tf.vectorized_map(lambda e: e[0], (x, n))


@program(X, grad=1)
def vectorized_nested(tf, x):
    return tf.vectorized_map(lambda r: tf.vectorized_map(lambda e: e * e * e, r) * r[0], x)


@program(X)
def vectorized_gradient_inside(tf, x):
    def slope(r):
        with tf.GradientTape() as tape:
            tape.watch(r)
            y = tf.reduce_sum(r * r * r)
        return tape.gradient(y, r)

    return tf.vectorized_map(slope, x)


@program(X)
def vectorized_sort(tf, x):
    return tf.vectorized_map(lambda r: (tf.sort(r, direction="DESCENDING"), tf.argmax(r), tf.math.top_k(r, 1)), x)


@program(X)
def vectorized_casts(tf, x):
    return tf.vectorized_map(lambda r: (tf.cast(r, tf.int32) // 2, r > 2.0, tf.where(r > 2.0, r, 0.0), tf.shape(r)), x)


@program(np.zeros((0, 2), np.float32))
def vectorized_empty(tf, x):
    return tf.vectorized_map(lambda r: r * 2.0, x)


@program([1.0, 2.0, 3.0])
def jacobian_inside(tf, x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.stack([tf.reduce_sum(x * x), x[0] * x[1]])
    return tape.jacobian(y, x), tape.jacobian(y, x, experimental_use_pfor=False)


@program([1.0, 2.0, 3.0])
def jacobian_of_loop(tf, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))
    return tape.jacobian(y, x)


@program(X, W)
def batch_jacobian_inside(tf, x, w):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.tanh(tf.matmul(x, w))
    return tape.batch_jacobian(y, x), tape.batch_jacobian(y, x, experimental_use_pfor=False)


@program([1.0, 2.0], W)
def hessian_inside(tf, x, w):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.tanh(tf.linalg.matvec(w, x)) ** 3)
        g = tape.gradient(y, x)
    return outer.jacobian(g, x)


@program([1.0, 2.0], grad=1)
def gradient_of_jacobian(tf, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * tf.reduce_sum(x)
    return tape.jacobian(y, x)


@program([1.0, 2.0], [[0.5, 1.0], [2.0, 1.0]])
def jacobian_structures(tf, x, m):
    with tf.GradientTape() as tape:
        tape.watch([x, m])
        y = tf.linalg.matvec(m, x) * x[0]
    return tape.jacobian(y, {"x": x, "m": m})
