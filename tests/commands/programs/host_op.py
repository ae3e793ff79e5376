import sys

import numpy as np
import tensorflow as tf


@tf.function
def step(x):
    ordered = tf.numpy_function(np.sort, [x], tf.float32)  # Python in a hot function
    return tf.reduce_sum(ordered * 2.0)


for _ in range(20):
    step(tf.ones([10]))
sys.exit(3)
