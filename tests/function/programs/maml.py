"""Model-agnostic meta-learning: gradients through an inner gradient step, over a batch of tasks."""
import numpy as np
import tensorflow as tf

w = [tf.Variable(np.linspace(-1, 1, 8).reshape(1, 8).astype("float32")), tf.Variable(np.full((8, 1), 0.2, "float32"))]


def net(x, p):
    return tf.nn.elu(x @ p[0]) @ p[1]


@tf.function
def meta_step(xs, ys, xq, yq, inner=0.1):
    with tf.GradientTape() as outer:
        total = 0.0
        for t in tf.range(tf.shape(xs)[0]):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((net(xs[t], w) - ys[t]) ** 2)
            fast = [p - inner * g for p, g in zip(w, tape.gradient(loss, w))]
            total += tf.reduce_mean((net(xq[t], fast) - yq[t]) ** 2)
        total /= tf.cast(tf.shape(xs)[0], tf.float32)
    grads = outer.gradient(total, w)
    for p, g in zip(w, grads):
        p.assign_sub(0.05 * g)
    return total, grads


rng = np.random.RandomState(0)
for step in range(3):
    a = rng.uniform(0.5, 2, (3, 1, 1)).astype("float32")
    xs, xq = rng.randn(3, 5, 1).astype("float32"), rng.randn(3, 5, 1).astype("float32")
    loss, grads = meta_step(xs, a * np.sin(xs), xq, a * np.sin(xq))
    print(step, f"{float(loss):.4f}", [f"{float(tf.norm(g)):.4f}" for g in grads])
