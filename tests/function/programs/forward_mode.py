"""ForwardAccumulator inside functions: Jacobian-vector products, forward over reverse, through loops and variables."""
import tensorflow as tf

v = tf.Variable([1.0, 2.0])


@tf.function
def jvp(x, d):
    with tf.autodiff.ForwardAccumulator(x, d) as acc:
        y = tf.reduce_sum(tf.sin(x) * v)
    return acc.jvp(y)


print(f"{float(jvp(tf.constant([0.5, 1.0]), tf.constant([1.0, 0.0]))):.5f}")


@tf.function
def hvp(d):
    with tf.autodiff.ForwardAccumulator(v, d) as acc:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v**3) + v[0] * v[1]
        g = tape.gradient(y, v)
    return acc.jvp(g)


print(hvp(tf.constant([1.0, 0.0])).numpy())


@tf.function
def looped(x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
        y = x
        for _ in tf.range(3):
            y = y * x
    return y, acc.jvp(y)


print([t.numpy().tolist() for t in looped(tf.constant([2.0, 3.0]))])
x = tf.constant(2.0)
with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
    y = tf.sin(x) * x
print(f"{float(acc.jvp(y)):.5f}")


@tf.function
def unconnected(x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
        y = tf.constant(3.0)
    return acc.jvp(y, unconnected_gradients=tf.UnconnectedGradients.ZERO)


print(float(unconnected(x)))
