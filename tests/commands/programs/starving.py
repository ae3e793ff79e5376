import time

import tensorflow as tf


def load(i):
    time.sleep(0.01)
    return i


numbers = tf.data.Dataset.range(30)
slow = numbers.map(lambda i: tf.numpy_function(load, [i], tf.int64))  # one at a time
for batch in slow.batch(10):  # waits
    tf.reduce_sum(batch)
