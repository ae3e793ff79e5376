"""Optimisation algorithms in functions: line search, conjugate gradients, SAM, lookahead, EM, PageRank, ALS, annealing, secant."""
import numpy as np
import tensorflow as tf


def rosenbrock(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


@tf.function
def value_and_grad(x):
    with tf.GradientTape() as t:
        t.watch(x)
        y = rosenbrock(x)
    return y, t.gradient(y, x)


@tf.function
def descend(x, steps):
    for _ in tf.range(steps):
        y, g = value_and_grad(x)
        lr = 1.0
        while rosenbrock(x - lr * g) > y - 1e-4 * lr * tf.reduce_sum(g * g):
            lr *= 0.5
        x = x - lr * g
    return x, rosenbrock(x)


x, y = descend(tf.constant([-1.0, 1.0]), 20)
print(np.round(x.numpy(), 2), bool(y < 4.0))


@tf.function
def conjugate_gradient(a, b, tol=1e-6):
    x = tf.zeros_like(b)
    r = b
    p = r
    rs = tf.reduce_sum(r * r)
    i = 0
    while rs > tol and i < 50:
        ap = tf.linalg.matvec(a, p)
        alpha = rs / tf.reduce_sum(p * ap)
        x += alpha * p
        r -= alpha * ap
        new = tf.reduce_sum(r * r)
        p = r + new / rs * p
        rs = new
        i += 1
    return x, i


x, i = conjugate_gradient(tf.constant([[4.0, 1.0], [1.0, 3.0]]), tf.constant([1.0, 2.0]))
print(np.round(x.numpy(), 4), int(i))
w = tf.Variable([2.0, -1.0])


@tf.function
def sam(x, y, rho=0.05):
    def loss():
        return tf.reduce_mean((tf.linalg.matvec(x, w) - y) ** 2)

    with tf.GradientTape() as t:
        first = loss()
    g = t.gradient(first, w)
    e = rho * g / (tf.norm(g) + 1e-12)
    w.assign_add(e)
    with tf.GradientTape() as t:
        second = loss()
    g = t.gradient(second, w)
    w.assign_sub(e)
    w.assign_sub(0.1 * g)
    return first, second


for _ in range(2):
    a, b = sam(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1.0, 1.0]))
    print(f"{float(a):.4f} {float(b):.4f}", bool(b > a))


@tf.function
def em(x, k, iters):
    mu, var, pi = x[:k], tf.ones([k]), tf.fill([k], 1.0 / k)
    ll = 0.0
    for _ in tf.range(iters):
        logp = -0.5 * ((x[:, None] - mu) ** 2 / var + tf.math.log(2 * np.pi * var)) + tf.math.log(pi)
        norm = tf.reduce_logsumexp(logp, axis=1, keepdims=True)
        r = tf.exp(logp - norm)
        n = tf.reduce_sum(r, 0)
        mu = tf.reduce_sum(r * x[:, None], 0) / n
        var = tf.reduce_sum(r * (x[:, None] - mu) ** 2, 0) / n + 1e-3
        pi = n / tf.reduce_sum(n)
        ll = tf.reduce_sum(norm)
    return mu, pi, ll


mu, pi, ll = em(tf.constant([0.0, 5.0, 0.2, 5.1, -0.1, 4.9, 0.1]), 2, tf.constant(8))
print(np.round(mu.numpy(), 3), np.round(pi.numpy(), 3), f"{float(ll):.3f}")


@tf.function(input_signature=[tf.SparseTensorSpec([None, None], tf.float32), tf.TensorSpec([], tf.float32)])
def pagerank(links, damping):
    n = tf.cast(links.dense_shape[0], tf.int32)
    rank = tf.fill([n, 1], 1.0 / tf.cast(n, tf.float32))
    delta = 1.0
    steps = 0
    while delta > 1e-5 and steps < 100:
        new = damping * tf.sparse.sparse_dense_matmul(links, rank, adjoint_a=True) + (1 - damping) / tf.cast(n, tf.float32)
        delta = tf.reduce_sum(tf.abs(new - rank))
        rank = new
        steps += 1
    return rank[:, 0]


m = np.array([[0, 0.5, 0.5], [0, 0, 1], [1, 0, 0]], "float32")
print(np.round(pagerank(tf.sparse.from_dense(m), 0.85).numpy(), 4))


@tf.function
def als(r, k, lam=0.1):
    u, v = tf.ones([tf.shape(r)[0], k]), tf.reshape(tf.range(tf.cast(tf.shape(r)[1] * k, tf.float32)), [-1, k]) / 5.0
    eye = lam * tf.eye(k)
    for _ in tf.range(5):
        u = tf.transpose(tf.linalg.solve(tf.transpose(v) @ v + eye, tf.transpose(r @ v)))
        v = tf.transpose(tf.linalg.solve(tf.transpose(u) @ u + eye, tf.transpose(tf.transpose(r) @ u)))
    return tf.norm(r - u @ tf.transpose(v))


print(f"{float(als(tf.constant([[5.0, 3.0, 1.0], [4.0, 2.0, 1.0], [1.0, 1.0, 5.0]]), 2)):.3f}")


@tf.function
def secant(a, b, n):
    f = lambda z: tf.cos(z) - z
    for _ in tf.range(n):
        a, b = b, b - f(b) * (b - a) / (f(b) - f(a) + 1e-12)
    return b


print(f"{float(secant(0.0, 1.0, 4)):.5f}")
