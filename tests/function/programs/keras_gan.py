"""A small GAN with Keras models and optimizers in one tf.function, as in the DCGAN tutorial."""
import numpy as np
import tensorflow as tf


def dense(n, seed, **kw):
    return tf.keras.layers.Dense(n, kernel_initializer=tf.keras.initializers.GlorotUniform(seed=seed), **kw)


generator = tf.keras.Sequential([tf.keras.Input((3,)), dense(8, 1, activation="relu"), dense(2, 2)])
discriminator = tf.keras.Sequential([tf.keras.Input((2,)), dense(8, 3, activation=tf.nn.leaky_relu), dense(1, 4)])
bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)
g_opt, d_opt = tf.keras.optimizers.Adam(1e-2), tf.keras.optimizers.Adam(1e-2)
g_metric = tf.keras.metrics.Mean()


@tf.function
def train_step(images, noise):
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        fake = generator(noise, training=True)
        real_out = discriminator(images, training=True)
        fake_out = discriminator(fake, training=True)
        gen_loss = bce(tf.ones_like(fake_out), fake_out)
        disc_loss = bce(tf.ones_like(real_out), real_out) + bce(tf.zeros_like(fake_out), fake_out)
    g_grads = gen_tape.gradient(gen_loss, generator.trainable_variables)
    d_grads = disc_tape.gradient(disc_loss, discriminator.trainable_variables)
    g_opt.apply_gradients(zip(g_grads, generator.trainable_variables))
    d_opt.apply_gradients(zip(d_grads, discriminator.trainable_variables))
    g_metric.update_state(gen_loss)
    return gen_loss, disc_loss


rng = np.random.RandomState(0)
for i in range(4):
    g, d = train_step(rng.randn(8, 2).astype("float32") + 2, rng.randn(8, 3).astype("float32"))
    print(f"{float(g):.3f} {float(d):.3f}")
print(int(g_opt.iterations), f"{float(g_metric.result()):.3f}", train_step.experimental_get_tracing_count())
