"""SAC, TD3, C51 and n-step pieces: squashed Gaussians, twin critics, target smoothing, distributional projection, prioritised sampling."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)


def dense(*sizes):
    return [(tf.Variable(rng.randn(a, b).astype("float32") * 0.4), tf.Variable(tf.zeros([b]))) for a, b in zip(sizes, sizes[1:])]


def forward(net, x):
    for w, b in net[:-1]:
        x = tf.nn.relu(x @ w + b)
    return x @ net[-1][0] + net[-1][1]


def params(*nets):
    return [v for net in nets for layer in net for v in layer]


actor, q1, q2, t1, t2 = dense(3, 8, 4), dense(5, 8, 1), dense(5, 8, 1), dense(5, 8, 1), dense(5, 8, 1)
log_alpha = tf.Variable(-1.0)


def policy(s, seed):
    mu, log_std = tf.split(forward(actor, s), 2, axis=-1)
    std = tf.exp(tf.clip_by_value(log_std, -5.0, 2.0))
    u = mu + std * tf.random.stateless_normal(tf.shape(mu), seed)
    logp = -0.5 * (((u - mu) / std) ** 2 + 2 * tf.math.log(std) + np.log(2 * np.pi))
    logp -= 2 * (np.log(2.0) - u - tf.nn.softplus(-2 * u))
    return tf.tanh(u), tf.reduce_sum(logp, -1, keepdims=True)


@tf.function
def sac(s, a, r, s2, d, seed):
    a2, logp2 = policy(s2, seed)
    sa2 = tf.concat([s2, a2], -1)
    alpha = tf.exp(log_alpha)
    y = r + 0.99 * (1 - d) * (tf.minimum(forward(t1, sa2), forward(t2, sa2)) - alpha * logp2)
    with tf.GradientTape(persistent=True) as tape:
        sa = tf.concat([s, a], -1)
        critic_loss = tf.add_n([tf.reduce_mean((forward(q, sa) - tf.stop_gradient(y)) ** 2) for q in (q1, q2)])
        new_a, logp = policy(s, seed + 1)
        q = tf.minimum(*[forward(q, tf.concat([s, new_a], -1)) for q in (q1, q2)])
        actor_loss = tf.reduce_mean(tf.exp(log_alpha) * logp - q)
        alpha_loss = -tf.reduce_mean(log_alpha * tf.stop_gradient(logp - 2.0))
    for loss, vs in ((critic_loss, params(q1, q2)), (actor_loss, params(actor)), (alpha_loss, [log_alpha])):
        for v, g in zip(vs, tape.gradient(loss, vs)):
            v.assign_sub(0.01 * g)
    for v, u in zip(params(t1, t2), params(q1, q2)):
        v.assign(v * 0.9 + u * 0.1)
    return critic_loss, actor_loss, alpha_loss


def batch(n):
    return [tf.constant(rng.randn(6, n).astype("float32"))]


for i in range(3):
    out = sac(*batch(3), tf.tanh(batch(2)[0]), *batch(1), *batch(3), tf.zeros([6, 1]), tf.constant([i, 0]))
    print([f"{float(x):.4f}" for x in out])


@tf.function
def project(probs, r, done, vmin=-1.0, vmax=1.0, gamma=0.9):
    n = probs.shape[-1]
    z = tf.linspace(vmin, vmax, n)
    tz = tf.clip_by_value(r[:, None] + gamma * (1 - done)[:, None] * z[None], vmin, vmax)
    b = (tz - vmin) / ((vmax - vmin) / (n - 1))
    low, high = tf.floor(b), tf.math.ceil(b)
    same = tf.cast(tf.equal(low, high), tf.float32)
    weights = tf.one_hot(tf.cast(low, tf.int32), n) * (high - b + same)[..., None]
    weights += tf.one_hot(tf.cast(high, tf.int32), n) * (b - low)[..., None]
    return tf.reduce_sum(probs[..., None] * weights, axis=1)


out = project(tf.fill([2, 5], 0.2), tf.constant([0.25, -0.5]), tf.constant([0.0, 1.0]))
print(np.round(out.numpy(), 4).tolist())


@tf.function
def n_step(r, n, gamma):
    padded = tf.concat([r, tf.zeros([n - 1])], 0)
    windows = tf.signal.frame(padded, n, 1)
    return tf.linalg.matvec(windows, gamma ** tf.range(n, dtype=tf.float32))


print(np.round(n_step(tf.constant([1.0, 2.0, 3.0, 4.0]), 3, 0.5).numpy(), 4))


@tf.function
def prioritised(p, u, alpha=0.6, beta=0.4):
    w = p**alpha
    cdf = tf.cumsum(w) / tf.reduce_sum(w)
    idx = tf.searchsorted(cdf, u, side="right")
    prob = tf.gather(w / tf.reduce_sum(w), idx)
    weights = (tf.cast(tf.size(p), tf.float32) * prob) ** -beta
    return idx, weights / tf.reduce_max(weights)


idx, weights = prioritised(tf.constant([0.1, 2.0, 0.5, 1.0]), tf.constant([0.05, 0.5, 0.99]))
print(idx.numpy(), np.round(weights.numpy(), 4))
