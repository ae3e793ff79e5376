"""An input is optimised rather than weights: two images by the Gram matrices of fixed filters, with total variation."""

import numpy as np
import tensorflow.compat.v1 as tf

target = np.sin(np.arange(8 * 8 * 3, dtype=np.float32)).reshape(1, 8, 8, 3)
filters = tf.constant(np.cos(np.arange(3 * 3 * 3 * 4, dtype=np.float32)).reshape(3, 3, 3, 4) * 0.3)


def gram(image):
    features = tf.reshape(tf.nn.relu(tf.nn.conv2d(image, filters, [1, 1, 1, 1], "SAME")), [-1, 4])
    return tf.matmul(features, features, transpose_a=True) / tf.cast(tf.size(features), tf.float32)


image = tf.Variable(
    np.zeros((1, 8, 8, 3), np.float32) + 0.1, name="image", constraint=lambda t: tf.clip_by_value(t, -1.0, 1.0)
)
loss = tf.reduce_sum(tf.square(gram(image) - gram(tf.constant(target)))) + 1e-3 * tf.reduce_sum(
    tf.image.total_variation(image)
)
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(12):
        now, _ = session.run([loss, train])
        if step % 4 == 0:
            print(step, now)
    print(session.run([tf.reduce_min(image), tf.reduce_max(image), loss]))
