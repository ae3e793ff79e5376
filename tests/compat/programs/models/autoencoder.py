"""An autoencoder whose decoder has the encoder's weights, transposed; its checkpoint is read back by name."""

import os

import numpy as np
import tensorflow.compat.v1 as tf

data = np.abs(np.sin(np.arange(10 * 6, dtype=np.float32))).reshape(10, 6)
x = tf.placeholder(tf.float32, [None, 6])
w = tf.get_variable("w", initializer=np.cos(np.arange(18, dtype=np.float32)).reshape(6, 3) * 0.2)
b, c = (
    tf.get_variable("b", [3], initializer=tf.zeros_initializer()),
    tf.get_variable("c", [6], initializer=tf.zeros_initializer()),
)
code = tf.nn.sigmoid(tf.nn.xw_plus_b(x, w, b))
back = tf.nn.sigmoid(tf.matmul(code, w, transpose_b=True) + c)
loss = tf.reduce_sum(tf.pow(x - back, 2))
train = tf.train.AdadeltaOptimizer(5.0, 0.9).minimize(loss)
saver = tf.train.Saver({"encoder/w": w, "encoder/b": b}, max_to_keep=2)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(1, 31):
        session.run(train, {x: data})
        if step % 10 == 0:
            print(step, session.run(loss, {x: data}), saver.save(session, "./model", global_step=step))
print(saver.last_checkpoints, sorted(f for f in os.listdir(".") if f.endswith("index")))
reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint("."))
print(sorted(reader.get_variable_to_shape_map().items()), reader.get_tensor("encoder/b"))
with tf.Session() as session:
    saver.restore(session, "./model-20")
    print(session.run(b))
