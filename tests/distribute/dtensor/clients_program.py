"""One of two clients of a mesh of four devices: weights are divided by model, rows by batch.

Argument: a folder for a checkpoint.
"""

import sys

import numpy as np
import tensorflow as tf

dtensor = tf.experimental.dtensor
dtensor.initialize_accelerator_system("CPU", num_logical_cpu_devices=2)
me = dtensor.client_id()
mesh = dtensor.create_distributed_mesh([("batch", 2), ("model", 2)], device_type="CPU")
rows, columns = dtensor.Layout(["batch", "unsharded"], mesh), dtensor.Layout(["unsharded", "model"], mesh)
x = dtensor.pack([np.arange(8, dtype=np.float32).reshape(2, 4) / 16 + me / 2] * 2, rows)
w = dtensor.DVariable(dtensor.copy_to_mesh(np.arange(8, dtype=np.float32).reshape(4, 2) / 8, columns))


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.matmul(x, w) ** 2)
    w.assign_sub(0.01 * tape.gradient(loss, w))
    return loss


losses = [f"{float(step(x)):.3f}" for _ in range(3)]
checkpoint = dtensor.DTensorCheckpoint(mesh, w=w)
path = checkpoint.save(f"{sys.argv[1]}/checkpoint")
w.assign(dtensor.copy_to_mesh(np.zeros([4, 2], np.float32), columns))
checkpoint.restore(path)
dtensor.barrier(mesh, "end", timeout_in_ms=30_000)
parts = [[f"{n:.3f}" for n in part.numpy().ravel()] for part in dtensor.unpack(tf.matmul(x, w.read_value()))]
print(losses, dtensor.local_devices("CPU")[1].to_string(), parts)
dtensor.shutdown_accelerator_system()
