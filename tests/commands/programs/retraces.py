import tensorflow as tf


@tf.function
def power(x, n):
    return x**n


for n in range(5):
    power(tf.constant(2.0), n)  # a Python number
for n in range(5):
    power(tf.ones([n]), tf.constant(2.0))  # a new shape
for _ in range(5):
    tf.function(lambda x: x + 1.0)(tf.constant(1.0))  # a new function
print("done")
