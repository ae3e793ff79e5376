"""A generator and a discriminator that train by turns, each on its own variables of a scope."""

import numpy as np
import tensorflow.compat.v1 as tf

rng = np.random.RandomState(5)
start = tf.constant_initializer(0.3)


def dense(x, units, activation=None, kernel_initializer=None, name=None):
    """`tf.layers.dense`; written out for a TensorFlow that no longer has it."""
    if hasattr(tf.layers, "dense"):
        return tf.layers.dense(x, units, activation, kernel_initializer=kernel_initializer, name=name)
    with tf.variable_scope(name, "dense"):
        w = tf.get_variable("kernel", [x.shape[-1], units], initializer=kernel_initializer)
        y = tf.matmul(x, w) + tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
    return y if activation is None else activation(y)


def generator(z):
    with tf.variable_scope("generator"):
        return dense(dense(z, 4, tf.nn.leaky_relu, kernel_initializer=start), 2, kernel_initializer=start)


def discriminator(x, reuse=None):
    with tf.variable_scope("discriminator", reuse=reuse):
        hidden = dense(x, 4, tf.nn.tanh, kernel_initializer=start, name="hidden")
        return dense(hidden, 1, kernel_initializer=start, name="logit")


real, z = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None, 3])
fake = generator(z)
on_real, on_fake = discriminator(real), discriminator(fake, reuse=True)


def entropy(logits, value):
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=value * tf.ones_like(logits), logits=logits))


d_loss, g_loss = entropy(on_real, 0.9) + entropy(on_fake, 0.0), entropy(on_fake, 1.0)
d_vars = [v for v in tf.trainable_variables() if v.name.startswith("discriminator")]
g_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="generator")
d_step = tf.train.AdamOptimizer(0.01, beta1=0.5).minimize(d_loss, var_list=d_vars)
g_step = tf.train.AdamOptimizer(0.01, beta1=0.5).minimize(g_loss, var_list=g_vars)
print(len(d_vars), len(g_vars))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        noise = rng.uniform(-1, 1, (16, 3))
        d, _ = session.run([d_loss, d_step], {real: rng.randn(16, 2) + 1, z: noise})
        g, _ = session.run([g_loss, g_step], {z: noise})
        print(d, g)
    print(np.round(session.run(fake, {z: np.zeros((1, 3))}), 5))
