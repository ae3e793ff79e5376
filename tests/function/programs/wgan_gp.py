"""WGAN-GP: a tape inside a tape, the gradient of a gradient's norm."""
import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
w1 = tf.Variable(np.linspace(-1, 1, 6).reshape(2, 3).astype("float32"))
w2 = tf.Variable(np.linspace(-0.4, 0.7, 3).reshape(3, 1).astype("float32"))


def critic(x):
    return tf.tanh(x @ w1) @ w2


@tf.function
def critic_loss(real, fake, alpha):
    mixed = alpha * real + (1 - alpha) * fake
    with tf.GradientTape() as gp:
        gp.watch(mixed)
        score = critic(mixed)
    grads = gp.gradient(score, mixed)
    norm = tf.sqrt(tf.reduce_sum(tf.square(grads), axis=1) + 1e-12)
    penalty = tf.reduce_mean((norm - 1.0) ** 2)
    return tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real)) + 10.0 * penalty


@tf.function
def step(real, fake, alpha):
    with tf.GradientTape() as tape:
        loss = critic_loss(real, fake, alpha)
    grads = tape.gradient(loss, [w1, w2])
    w1.assign_sub(0.05 * grads[0])
    w2.assign_sub(0.05 * grads[1])
    return loss


rng = np.random.RandomState(1)
for i in range(4):
    real, fake = rng.randn(5, 2).astype("float32") + 1, rng.randn(5, 2).astype("float32")
    print(f"{float(step(real, fake, rng.rand(5, 1).astype('float32'))):.4f}")
with tf.GradientTape() as tape:
    loss = critic_loss(real, fake, np.full((5, 1), 0.5, "float32"))
print(np.round(tape.gradient(loss, w2).numpy().ravel(), 3))
