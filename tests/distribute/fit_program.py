"""A Keras model that is fitted by several workers, with backups; the worker 1 may die in the middle of an epoch.

Arguments: the folder for backups, and the step at which worker 1 kills itself, or -1.
"""

import os
import signal
import sys

import numpy as np
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
me = strategy.cluster_resolver.task_id or 0
folder, deadly = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(0)
x, y = rng.normal(size=(24, 4)).astype("float32"), rng.integers(0, 3, 24)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3, kernel_initializer="ones")])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(0.05), loss, metrics=["accuracy"])


class Killer(tf.keras.callbacks.Callback):
    """Kills worker 1 at a step."""

    steps = 0

    def on_train_batch_end(self, batch, logs=None):
        self.steps += 1
        if me == 1 and self.steps == deadly:
            os.kill(os.getpid(), signal.SIGKILL)


backup = tf.keras.callbacks.BackupAndRestore(os.path.join(folder, str(me)))
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
history = model.fit(data, epochs=3, verbose=0, callbacks=[backup, Killer()]).history
print([f"{v:.4f}" for v in history["loss"][-1:]], [f"{v:.4f}" for v in model.get_weights()[0].ravel()])
