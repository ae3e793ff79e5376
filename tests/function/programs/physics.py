"""Classic numerics: Mandelbrot, the heat equation, Runge-Kutta, the power method, k-means, Game of Life."""
import numpy as np
import tensorflow as tf


@tf.function
def mandelbrot(c, steps):
    z, ns = c, tf.zeros(c.shape, tf.int32)
    for _ in tf.range(steps):
        z = z * z + c
        ns += tf.cast(tf.abs(z) < 4.0, tf.int32)
        z = tf.where(tf.abs(z) < 4.0, z, tf.zeros_like(z) + 4.0)
    return ns


y, x = np.mgrid[-1.3:1.3:0.65, -2:1:0.75]
print(mandelbrot(tf.constant((x + 1j * y).astype("complex64")), 15).numpy().tolist())


@tf.function
def heat(u, n):
    kernel = tf.constant([[0.5, 1.0, 0.5], [1.0, -6.0, 1.0], [0.5, 1.0, 0.5]])[:, :, None, None]
    i = tf.constant(0)
    while i < n:
        u = u + 0.1 * tf.nn.conv2d(u[None, :, :, None], kernel, 1, "SAME")[0, :, :, 0]
        i += 1
    return u


start = np.zeros((5, 5), "float32")
start[2, 2] = 1.0
print(np.round(heat(tf.constant(start), 4).numpy()[2], 4))


@tf.function
def rk4(f0, y, dt, n):
    def f(y):
        return tf.stack([y[1], -y[0]])

    for _ in tf.range(n):
        k1 = f(y)
        k2 = f(y + dt / 2 * k1)
        k3 = f(y + dt / 2 * k2)
        k4 = f(y + dt * k3)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


print(np.round(rk4(0, tf.constant([1.0, 0.0]), 0.1, tf.constant(31)).numpy(), 4))


@tf.function
def power_method(a, tol=1e-6):
    v = tf.ones([tf.shape(a)[0], 1])
    lam, old, i = 0.0, -1.0, 0
    while tf.abs(lam - old) > tol and i < 200:
        v = a @ v
        v /= tf.norm(v)
        old = lam
        lam = tf.squeeze(tf.transpose(v) @ a @ v)
        i += 1
    return lam, i > 3


lam, many = power_method(tf.constant([[2.0, 1.0], [1.0, 3.0]]))
print(f"{float(lam):.4f}", bool(many))


@tf.function
def kmeans(points, k, iters):
    centers = points[:k]
    assigned = tf.zeros([tf.shape(points)[0]], tf.int64)
    for _ in tf.range(iters):
        d = tf.reduce_sum((points[:, None] - centers[None]) ** 2, -1)
        assigned = tf.argmin(d, axis=1)
        centers = tf.math.unsorted_segment_mean(points, assigned, k)
    return centers, assigned


pts = np.array([[0, 0], [5, 5], [0, 1], [5, 6], [1, 0], [6, 5]], "float32")
c, a = kmeans(pts, 2, 5)
print(np.round(c.numpy(), 3).tolist(), a.numpy())


@tf.function
def life(board, n):
    kernel = tf.reshape(tf.constant([1.0, 1, 1, 1, 0, 1, 1, 1, 1]), [3, 3, 1, 1])
    for _ in tf.range(n):
        near = tf.cast(tf.nn.conv2d(tf.cast(board, tf.float32)[None, ..., None], kernel, 1, "SAME")[0, ..., 0], tf.int32)
        board = tf.cast((near == 3) | ((board == 1) & (near == 2)), tf.int32)
    return board


glider = np.zeros((6, 6), "int32")
glider[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1
print(np.argwhere(life(tf.constant(glider), 4).numpy()).tolist())
