"""orbit: a controller trains for some steps."""

import orbit
import tensorflow as tf


class Trainer(orbit.StandardTrainer):
    def __init__(self):
        self.total = tf.Variable(0)
        super().__init__(tf.data.Dataset.range(3).repeat())

    def train_step(self, iterator):
        self.total.assign_add(tf.cast(next(iterator), tf.int32))
        step.assign_add(1)

    def train_loop_end(self):
        return {"total": self.total.read_value()}

step = tf.Variable(0, dtype=tf.int64)
trainer = Trainer()
orbit.Controller(global_step=step, trainer=trainer, steps_per_loop=3).train(steps=6)
