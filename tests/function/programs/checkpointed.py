"""Checkpoints around functions: a step, a restored module, a manager, an iterator's position."""
import os
import tempfile

import numpy as np
import tensorflow as tf


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(tf.ones([2, 1]))
        self.step = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def train(self, x):
        with tf.GradientTape() as t:
            loss = tf.reduce_sum((x @ self.w) ** 2)
        self.w.assign_sub(0.1 * t.gradient(loss, self.w))
        self.step.assign_add(1)
        return loss


folder = tempfile.mkdtemp()
ds = tf.data.Dataset.range(10).map(lambda i: tf.cast(tf.stack([[i, i + 1]]), tf.float32) / 10)
it = iter(ds)
net = Net()
ckpt = tf.train.Checkpoint(net=net, iterator=it)
manager = tf.train.CheckpointManager(ckpt, folder, max_to_keep=2)
for i in range(4):
    loss = net.train(next(it))
    path = manager.save(checkpoint_number=net.step)
print(os.path.basename(path), [os.path.basename(p) for p in manager.checkpoints], f"{float(loss):.4f}")
saved = net.w.numpy()
net.train(next(it))
print(bool(np.any(net.w.numpy() != saved)))
status = ckpt.restore(manager.latest_checkpoint)
status.assert_consumed()
print(np.allclose(net.w.numpy(), saved), int(net.step), next(it).numpy().round(1).tolist())
fresh, it2 = Net(), iter(ds)
tf.train.Checkpoint(net=fresh, iterator=it2).restore(manager.latest_checkpoint)
print(int(fresh.step), f"{float(fresh.train(next(it2))):.4f}", int(fresh.step))
print([n for n, _ in tf.train.list_variables(manager.latest_checkpoint) if "net" in n])
