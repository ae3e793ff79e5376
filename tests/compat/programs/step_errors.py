"""What an error of a session's step says about itself."""

import tensorflow.compat.v1 as tf

x = tf.placeholder(tf.float32, [None], name="given")
y = tf.reshape(x, [2, 3], name="square")
with tf.Session() as session:
    try:
        session.run(y, {x: [1.0]})
    except tf.errors.InvalidArgumentError as error:
        lines = error.message.splitlines()
        print([line for line in lines if line.startswith("Detected")], lines[-1])
        print(error.op is y.op, error.node_def.name, error.node_def.op, list(error.node_def.input))
