"""Newton's method in a while loop, Fibonacci numbers in a TensorArray, a scan, a fold, and what cond chooses."""

import tensorflow.compat.v1 as tf

value = tf.placeholder(tf.float64, [])
root = tf.while_loop(lambda x: tf.abs(x * x - value) > 1e-9, lambda x: (x + value / x) / 2, [value])
numbers = tf.TensorArray(tf.int64, size=10, clear_after_read=False)
numbers = numbers.write(0, tf.constant(1, tf.int64)).write(1, tf.constant(1, tf.int64))
_, numbers = tf.while_loop(
    lambda i, a: i < 10, lambda i, a: (i + 1, a.write(i, a.read(i - 1) + a.read(i - 2))), [tf.constant(2), numbers]
)
sums = tf.scan(lambda a, x: a + x, tf.range(5))
product = tf.foldl(lambda a, x: a * x, tf.constant([1.0, 2.0, 3.0]))
squares = tf.map_fn(lambda x: (x * x, x + 1), tf.range(4), dtype=(tf.int32, tf.int32))
chosen = tf.cond(value > 3.0, lambda: value * 2, lambda: value - 1)
kind = tf.case(
    [(value < 1.0, lambda: tf.constant("small")), (value < 5.0, lambda: tf.constant("middle"))],
    default=lambda: tf.constant("large"),
)
slope = tf.gradients(root, value)[0]
with tf.Session() as session:
    for given in (2.0, 9.0):
        print(session.run([root, chosen, kind, slope], {value: given}))
    print(session.run(numbers.stack()), session.run(sums), session.run(product), session.run(squares))
