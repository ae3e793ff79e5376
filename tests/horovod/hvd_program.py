"""A program for Horovod, as its documentation writes them; `test_horovod.py` runs it as two processes."""

import sys

import horovod.tensorflow as hvd
import horovod.tensorflow.keras as hvd_keras
import numpy as np
import tensorflow as tf


def say(*things):  # in one piece: the lines of two processes must not mix
    sys.stdout.write(" ".join(map(str, things)) + "\n")


hvd.init()
me = hvd.rank()
assert hvd.size() == 2 and hvd.local_rank() == me and hvd_keras.size() == 2
x = tf.constant([1.0, 2.0]) * (me + 1)
out = [
    hvd.allreduce(x), hvd.allreduce(x, op=hvd.Sum), hvd.allreduce(x, op=hvd.Max),
    hvd.allreduce(x, compression=hvd.Compression.fp16),
]
out += [
    hvd.allgather(tf.ones([me + 1, 1]) * me), hvd.broadcast(x, 1), hvd.alltoall(x + me),
    hvd.reducescatter(x, op=hvd.Sum),
]
out += [hvd.allreduce(tf.constant(3 + me), op=hvd.Sum), tf.function(hvd.allreduce)(x)]
say([t.numpy().tolist() for t in out])
say(hvd.broadcast_object({"me": me}, 1), hvd.allgather_object(me))
slices = hvd.allreduce(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([me]), tf.constant([4, 2])))
say(slices.indices.numpy().tolist(), slices.values.numpy().tolist())

v = tf.Variable([float(me), 5.0])
hvd.broadcast_variables([v], root_rank=1)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(v * v * (me + 1.0))
say(hvd.DistributedGradientTape(tape).gradient(loss, [v])[0].numpy().tolist())

rng = np.random.default_rng(0)
features, labels = rng.normal(size=(16, 4)).astype("float32"), rng.normal(size=(16, 1)).astype("float32")
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
if me == 1:
    model.set_weights([np.zeros((4, 1)), np.zeros(1)])
hvd.broadcast_variables(model.weights, root_rank=0)
model.compile(hvd_keras.DistributedOptimizer(tf.keras.optimizers.SGD(0.1)), "mse")
callbacks = [hvd_keras.callbacks.BroadcastGlobalVariablesCallback(0), hvd_keras.callbacks.MetricAverageCallback()]
half = slice(me * 8, me * 8 + 8)
history = model.fit(
    features[half], labels[half], batch_size=8, epochs=3, shuffle=False, verbose=0, callbacks=callbacks
).history
say([f"{loss:.4f}" for loss in history["loss"]], [f"{w:.4f}" for w in model.get_weights()[0].ravel()])
