"""Random numbers in functions: stateless, Generator objects, splits, fixed seeds; the same numbers as TensorFlow."""
import numpy as np
import tensorflow as tf

g = tf.random.Generator.from_seed(42)


@tf.function
def draw(n):
    return g.normal([2]), g.uniform([n], 0, 10, dtype=tf.int32)


for _ in range(2):
    a, b = draw(3)
    print(np.round(a.numpy(), 5), b.numpy())
h = g.split(2)
print([np.round(x.normal([]).numpy(), 5) for x in h])


@tf.function
def walk(seed, n):
    pos = tf.zeros([2])
    for i in tf.range(n):
        s = tf.random.experimental.stateless_fold_in(seed, i)
        pos += tf.random.stateless_uniform([2], s, -1.0, 1.0)
    return pos


print(np.round(walk(tf.constant([3, 4]), 5).numpy(), 5))
tf.random.set_seed(7)


@tf.function
def seeded():
    return tf.random.uniform([2], seed=1), tf.random.normal([2], seed=2)


for _ in range(2):
    print([np.round(t.numpy(), 5).tolist() for t in seeded()])
tf.random.set_seed(7)
print([np.round(t.numpy(), 5).tolist() for t in seeded()])


@tf.function
def gumbel(logits, seed, tau=0.5):
    u = tf.random.stateless_uniform(tf.shape(logits), seed, minval=1e-6, maxval=1.0)
    y = tf.nn.softmax((logits - tf.math.log(-tf.math.log(u))) / tau)
    hard = tf.one_hot(tf.argmax(y, -1), logits.shape[-1])
    return tf.stop_gradient(hard - y) + y


x = tf.constant([[0.1, 0.5, 0.4]])
with tf.GradientTape() as t:
    t.watch(x)
    y = gumbel(x, [1, 2])
    loss = tf.reduce_sum(y * [[1.0, 2.0, 3.0]])
print(np.round(y.numpy(), 4), np.round(t.gradient(loss, x).numpy(), 4))


@tf.function
def shuffled(x, seed):
    return tf.random.experimental.stateless_shuffle(x, seed)


print(shuffled(tf.range(6), [1, 2]).numpy())
cat = tf.function(lambda lg, s: tf.random.stateless_categorical(lg, 5, s))
print(cat(tf.math.log([[0.5, 0.3, 0.2]]), [5, 6]).numpy())
