"""A DQN update: online and target network, gather by action, Huber loss, soft update."""
import numpy as np
import tensorflow as tf


class QNet(tf.Module):
    def __init__(self, sizes, seed):
        super().__init__()
        rng = np.random.RandomState(seed)
        self.layers = [
            (tf.Variable(rng.randn(a, b).astype("float32") * 0.3), tf.Variable(tf.zeros([b])))
            for a, b in zip(sizes[:-1], sizes[1:])
        ]

    def __call__(self, x):
        for i, (w, b) in enumerate(self.layers):
            x = x @ w + b
            if i < len(self.layers) - 1:
                x = tf.nn.relu(x)
        return x


online, target = QNet([4, 16, 2], 1), QNet([4, 16, 2], 2)


@tf.function
def update(s, a, r, s2, done, gamma=0.9):
    best = tf.reduce_max(target(s2), axis=1)
    y = r + gamma * best * (1.0 - done)
    with tf.GradientTape() as tape:
        q = online(s)
        q_a = tf.gather_nd(q, tf.stack([tf.range(tf.shape(a)[0]), a], axis=1))
        error = tf.stop_gradient(y) - q_a
        loss = tf.reduce_mean(tf.where(tf.abs(error) < 1.0, 0.5 * error**2, tf.abs(error) - 0.5))
    grads = tape.gradient(loss, online.trainable_variables)
    grads, norm = tf.clip_by_global_norm(grads, 1.0)
    for v, g in zip(online.trainable_variables, grads):
        v.assign_sub(0.05 * g)
    for v, u in zip(target.trainable_variables, online.trainable_variables):
        v.assign(0.95 * v + 0.05 * u)
    return loss, norm


rng = np.random.RandomState(0)
for i in range(4):
    s, s2 = rng.randn(8, 4).astype("float32"), rng.randn(8, 4).astype("float32")
    loss, norm = update(s, rng.randint(0, 2, 8).astype("int32"), rng.randn(8).astype("float32"), s2, np.zeros(8, "float32"))
    print(i, f"{float(loss):.4f}", f"{float(norm):.4f}")
print(len(online.trainable_variables), f"{float(tf.add_n([tf.reduce_sum(v) for v in target.variables])):.3f}")


@tf.function
def act(obs, epsilon):
    if tf.random.uniform([], seed=1) < epsilon:
        return tf.random.uniform([], 0, 2, dtype=tf.int64)
    else:
        return tf.argmax(online(obs[None])[0])


print(act(tf.zeros([4]), 0.0).dtype.name, int(act(tf.ones([4]), 0.0)))
