"""Augmentation by NumPy inside a pipeline: py_function, numpy_function, set_shape, a gradient through py_function."""
import numpy as np
import tensorflow as tf


def flip(image, label):
    return image.numpy()[:, ::-1].copy(), label


def wrapped(image, label):
    image, label = tf.py_function(flip, [image, label], [tf.float32, tf.int32])
    image.set_shape([2, 3])
    label.set_shape([])
    return image, label


images = np.arange(12, dtype="float32").reshape(2, 2, 3)
ds = tf.data.Dataset.from_tensor_slices((images, [0, 1])).map(wrapped).batch(2)
print(ds.element_spec)
for x, y in ds:
    print(x.numpy()[0].tolist(), y.numpy())


@tf.function
def noisy(x):
    y = tf.numpy_function(lambda a: (a * 2).astype("float32"), [x], tf.float32)
    y = tf.ensure_shape(y, x.shape)
    return y + 1.0


print(noisy(tf.constant([1.0, 2.0])).numpy(), noisy.get_concrete_function(tf.TensorSpec([3], tf.float32)).output_shapes)


@tf.function
def huber(x):
    def f(a):
        return tf.where(tf.abs(a) < 1, a * a / 2, tf.abs(a) - 0.5)

    return tf.reduce_sum(tf.py_function(f, [x], tf.float32))


x = tf.constant([0.5, -3.0])
with tf.GradientTape() as t:
    t.watch(x)
    y = huber(x)
print(float(y), t.gradient(y, x).numpy())


@tf.function
def fails(x):
    def boom(a):
        raise ValueError("inside python")

    return tf.py_function(boom, [x], tf.float32)


try:
    fails(1.0)
except Exception as e:
    print(type(e).__name__, "inside python" in str(e))
