"""Checkpoints: training stops in the middle, a new process restores the last checkpoint and goes on to the same result.

    python -m reflow examples/checkpoint_resume.py
"""

import os
import tempfile

import numpy as np
import tensorflow as tf


class Training(tf.Module):
    """Everything that must survive: variables, the optimizer with its momentum, the number of steps."""

    def __init__(self, folder):
        super().__init__()
        self.w, self.step = tf.Variable(tf.zeros([3])), tf.Variable(0, dtype=tf.int64)
        self.optimizer = tf.keras.optimizers.Adam(0.1)
        self.optimizer.build([self.w])
        checkpoint = tf.train.Checkpoint(w=self.w, step=self.step, optimizer=self.optimizer)
        self.manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=3)

    @tf.function
    def learn(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.linalg.matvec(x, self.w) - y) ** 2)
        self.optimizer.apply_gradients([(tape.gradient(loss, self.w), self.w)])
        self.step.assign_add(1)
        return loss

    def run(self, x, y, until):
        restored = self.manager.restore_or_initialize()
        print(
            f"  starts {'at' if not restored else 'from ' + os.path.basename(restored) + ', at'} step "
            f"{self.step.numpy()}"
        )
        while self.step < until:
            loss = self.learn(x, y)
            if self.step % 20 == 0:
                self.manager.save(checkpoint_number=self.step)
        print(f"  stops at step {self.step.numpy()}, loss {loss.numpy():.6f}")
        return self.w.numpy()


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x = rng.normal(size=(64, 3)).astype("float32")
    y = (x @ np.array([1.0, -2.0, 0.5])).astype("float32")
    with tempfile.TemporaryDirectory() as whole, tempfile.TemporaryDirectory() as parts:
        print("100 steps without a pause:")
        expected = Training(whole).run(x, y, until=100)
        print("70 steps, then the machine is gone:")
        Training(parts).run(x, y, until=70)
        print("a new process with the same folder:")
        w = Training(parts).run(x, y, until=100)
        print(f"files: {sorted(name for name in os.listdir(parts) if name.endswith('.index'))}")
        reader = tf.train.load_checkpoint(parts)
        print(
            f"a checkpoint can be read without the program: step {reader.get_tensor('step/.ATTRIBUTES/VARIABLE_VALUE')}"
        )
    print(f"the same weights, to the last bit: {np.array_equal(w, expected)}")
