"""A custom training loop: data pipeline, tape, SGD by hand, metrics in variables."""
import numpy as np
import tensorflow as tf

xs = np.linspace(-1, 1, 64).astype("float32").reshape(-1, 1)
ys = 3.0 * xs + 0.5
ds = tf.data.Dataset.from_tensor_slices((xs, ys)).shuffle(64, seed=1).batch(16)
w, b = tf.Variable([[0.0]], name="w"), tf.Variable([0.0], name="b")
total, count = tf.Variable(0.0), tf.Variable(0)


@tf.function
def train_step(x, y, lr=0.3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ w + b - y) ** 2)
    for v, g in zip([w, b], tape.gradient(loss, [w, b])):
        v.assign_sub(lr * g)
    total.assign_add(loss)
    count.assign_add(1)
    return loss


for epoch in range(5):
    total.assign(0.0)
    count.assign(0)
    for x, y in ds:
        train_step(x, y)
    print(f"epoch {epoch}: steps {count.numpy()}, falling: {bool(total / tf.cast(count, tf.float32) < 3.0)}")
print(np.round(w.numpy(), 1), np.round(b.numpy(), 1), train_step.experimental_get_tracing_count())
