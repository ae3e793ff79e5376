"""Gradient accumulation over micro-batches: a step variable, a cond that applies, a learning-rate schedule, loss scaling."""
import numpy as np
import tensorflow as tf

w = tf.Variable(tf.ones([3, 1]))
acc = tf.Variable(tf.zeros([3, 1]), trainable=False)
step = tf.Variable(0, dtype=tf.int64)
scale = tf.Variable(8.0)


def schedule(step):
    s = tf.cast(step, tf.float32)
    return 0.1 * tf.minimum(s / 4.0, tf.math.rsqrt(s + 1.0))


@tf.function
def micro_step(x, y, every):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.matmul(x, w) - y) ** 2)
        scaled = loss * scale
    g = tape.gradient(scaled, w) / scale
    acc.assign_add(g)
    step.assign_add(1)
    if step % every == 0:
        w.assign_sub(schedule(step) * acc / tf.cast(every, tf.float32))
        acc.assign(tf.zeros_like(acc))
        applied = True
    else:
        applied = False
    if tf.reduce_all(tf.math.is_finite(g)):
        scale.assign(scale * 1.5)
    else:
        scale.assign(scale / 2.0)
    return loss, applied


rng = np.random.RandomState(0)
for i in range(6):
    x = rng.randn(4, 3).astype("float32")
    loss, applied = micro_step(x, x @ np.array([[1.0], [-1.0], [0.5]], "float32"), tf.constant(3, tf.int64))
    print(int(step), f"{float(loss):.4f}", bool(applied), float(scale))
print(np.round(w.numpy().ravel(), 4), acc.numpy().ravel())
x = np.full((4, 3), np.inf, "float32")
micro_step(x, np.zeros((4, 1), "float32"), tf.constant(3, tf.int64))
print(float(scale), micro_step.experimental_get_tracing_count())
