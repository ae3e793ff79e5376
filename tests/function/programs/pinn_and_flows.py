"""Derivatives as layers: a physics-informed network, a coupling flow with log-determinants, spectral norm, R1 penalty, an adjoint ODE."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(1)
W = [tf.Variable(rng.randn(a, b).astype("float32") * 0.5) for a, b in ((1, 6), (6, 1))]


def net(x):
    return tf.tanh(x @ W[0]) @ W[1]


@tf.function
def residual(x):
    with tf.GradientTape() as t2:
        t2.watch(x)
        with tf.GradientTape() as t1:
            t1.watch(x)
            u = net(x)
        ux = t1.gradient(u, x)
    uxx = t2.gradient(ux, x)
    return uxx + u


@tf.function
def pinn_step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(residual(x) ** 2) + tf.reduce_mean((net(tf.zeros([1, 1])) - 1.0) ** 2)
    g = tape.gradient(loss, W)
    for v, d in zip(W, g):
        v.assign_sub(0.05 * d)
    return loss


x = tf.constant(np.linspace(0, 1, 5).reshape(-1, 1).astype("float32"))
print([f"{float(pinn_step(x)):.4f}" for _ in range(3)])


class Coupling(tf.Module):
    def __init__(self, flip):
        super().__init__()
        self.s, self.t, self.flip = tf.Variable(rng.randn(1, 1).astype("float32")), tf.Variable(rng.randn(1, 1).astype("float32")), flip

    def forward(self, x):
        a, b = tf.split(x, 2, axis=1)
        if self.flip:
            a, b = b, a
        log_s = tf.tanh(a @ self.s)
        b = b * tf.exp(log_s) + a @ self.t
        return tf.concat([b, a] if self.flip else [a, b], 1), tf.reduce_sum(log_s, 1)

    def inverse(self, y):
        a, b = tf.split(y, 2, axis=1)
        if self.flip:
            a, b = b, a
        b = (b - a @ self.t) * tf.exp(-tf.tanh(a @ self.s))
        return tf.concat([b, a] if self.flip else [a, b], 1)


flow = [Coupling(i % 2 == 1) for i in range(3)]


@tf.function
def log_prob(x):
    total = 0.0
    for layer in flow:
        x, ld = layer.forward(x)
        total += ld
    return total - 0.5 * tf.reduce_sum(x**2, 1) - np.log(2 * np.pi), x


@tf.function
def sample(z):
    for layer in reversed(flow):
        z = layer.inverse(z)
    return z


pts = tf.constant(rng.randn(4, 2).astype("float32"))
lp, z = log_prob(pts)
print(np.round(lp.numpy(), 4), bool(tf.reduce_max(tf.abs(sample(z) - pts)) < 1e-4))
with tf.GradientTape() as tape:
    nll = -tf.reduce_mean(log_prob(pts)[0])
print([f"{float(tf.squeeze(g)):.4f}" for g in tape.gradient(nll, [v for layer in flow for v in layer.trainable_variables])])


@tf.function
def jacobian_logdet(x):
    with tf.GradientTape() as t:
        t.watch(x)
        y = log_prob(x)[1]
    return tf.linalg.slogdet(t.batch_jacobian(y, x))[1]


ld = lp + 0.5 * tf.reduce_sum(z**2, 1) + np.log(2 * np.pi)
print(bool(tf.reduce_max(tf.abs(jacobian_logdet(pts) - ld)) < 1e-4))
u = tf.Variable(rng.randn(1, 3).astype("float32"))


@tf.function
def spectral(w, iters=1):
    for _ in range(iters):
        v = tf.math.l2_normalize(u @ tf.transpose(w))
        u.assign(tf.math.l2_normalize(v @ w))
    return tf.squeeze(v @ w @ tf.transpose(u))


k = tf.constant(rng.randn(4, 3).astype("float32"))
for _ in range(10):
    s = spectral(k)
print(f"{float(s):.3f}", f"{float(tf.linalg.svd(k, compute_uv=False)[0]):.3f}")


@tf.function
def r1(x):
    with tf.GradientTape() as t:
        t.watch(x)
        y = tf.reduce_sum(net(x))
    return tf.reduce_mean(tf.reduce_sum(t.gradient(y, x) ** 2, axis=1))


with tf.GradientTape() as tape:
    p = r1(x)
print(f"{float(p):.4f}", [np.round(g.numpy().ravel()[:2], 4).tolist() for g in tape.gradient(p, W)])


@tf.custom_gradient
def odeint(y0, a, n):
    def f(y):
        return a * y

    y = y0
    for _ in range(10):
        y = y + 0.1 * f(y)

    def grad(dy):
        adj, da, yy = dy, tf.zeros_like(a), y
        for _ in range(10):
            yy = yy / (1 + 0.1 * a)
            da = da + tf.reduce_sum(adj * 0.1 * yy)
            adj = adj * (1 + 0.1 * a)
        return adj, da, None

    return y, grad


@tf.function
def ode_grads(y0, a):
    with tf.GradientTape() as t:
        t.watch([y0, a])
        y = tf.reduce_sum(odeint(y0, a, tf.constant(10)))
    return t.gradient(y, [y0, a])


print([np.round(g.numpy(), 4).tolist() for g in ode_grads(tf.constant([1.0, 2.0]), tf.constant(0.5))])
