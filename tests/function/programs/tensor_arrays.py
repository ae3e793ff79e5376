"""TensorArrays across function boundaries and in loops: returned, passed, dynamic, gather, scatter, concat, split, unstack; gradients."""
import tensorflow as tf


@tf.function
def squares(x):
    ta = tf.TensorArray(tf.float32, size=tf.shape(x)[0], clear_after_read=False)
    for i in tf.range(tf.shape(x)[0]):
        ta = ta.write(i, x[i] ** 2)
    return ta.stack(), ta.gather([0, 2]), ta.read(1), ta.size()


print([t.numpy().tolist() for t in squares(tf.constant([1.0, 2.0, 3.0]))])


@tf.function
def pieces(x):
    ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True, infer_shape=False)
    ta = ta.split(x, [1, 2, 3])
    return ta.read(1), ta.concat(), ta.size()


print([t.numpy().tolist() for t in pieces(tf.range(6.0))])


@tf.function
def total(ta):
    return tf.reduce_sum(ta.stack() ** 2)


x = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    ta = tf.TensorArray(tf.float32, 2).unstack([x, x * 3.0])
    y = total(ta)
print(float(tape.gradient(y, x)))


@tf.function
def scattered(v):
    ta = tf.TensorArray(tf.float32, size=4)
    ta = ta.scatter([3, 1, 0, 2], v)
    return ta.stack()


with tf.GradientTape() as tape:
    v = tf.constant([1.0, 2.0, 3.0, 4.0])
    tape.watch(v)
    y = tf.reduce_sum(scattered(v) * [1.0, 10.0, 100.0, 1000.0])
print(tape.gradient(y, v).numpy())


@tf.function
def collect(n):
    outputs = tf.TensorArray(tf.int32, size=0, dynamic_size=True, element_shape=[2])
    i = 0
    while i < n:
        outputs = outputs.write(outputs.size(), tf.stack([i, i * i]))
        i += 1
    return outputs.stack()


print(collect(tf.constant(3)).numpy().tolist(), collect.get_concrete_function(tf.TensorSpec([], tf.int32)).output_shapes)


@tf.function
def two(n):
    a = tf.TensorArray(tf.float32, size=n)
    b = tf.TensorArray(tf.int64, size=n)

    def body(i, a, b):
        return i + 1, a.write(i, tf.cast(i, tf.float32) / 2), b.write(i, tf.cast(i, tf.int64) * 3)

    _, a, b = tf.while_loop(lambda i, *_: i < n, body, (0, a, b))
    return a.stack(), b.stack()


print([t.numpy().tolist() for t in two(3)])


@tf.function
def in_branches(flag):
    ta = tf.TensorArray(tf.float32, size=2)
    if flag:
        ta = ta.write(0, 1.0).write(1, 2.0)
    else:
        ta = ta.unstack([5.0, 6.0])
    return ta.stack()


print(in_branches(tf.constant(True)).numpy(), in_branches(tf.constant(False)).numpy())
for bad in (
    lambda: tf.TensorArray(tf.float32, 2).write(5, 1.0),
    lambda: tf.function(lambda: tf.TensorArray(tf.float32, 2).write(0, [1.0]).write(1, [1.0, 2.0]).stack())(),
    lambda: tf.function(lambda i: tf.TensorArray(tf.float32, 2, element_shape=[]).write(i, 1.0).stack())(tf.constant(7)),
    lambda: tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0]).read(3),
):
    try:
        bad()
        print("fine")
    except Exception as e:
        print(type(e).__name__)
