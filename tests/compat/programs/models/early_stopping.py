"""A monitored session with hooks of its own: it stops when the loss no longer falls, and logs."""

import tensorflow.compat.v1 as tf


class StopsWhenFlat(tf.train.SessionRunHook):
    def __init__(self, loss, least):
        self._loss, self._least, self._last = loss, least, None

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        if self._last is not None and self._last - run_values.results < self._least:
            run_context.request_stop()
        self._last = run_values.results


step = tf.train.get_or_create_global_step()
w = tf.get_variable("w", initializer=4.0)
loss = tf.square(w - 1.0)
train = tf.train.GradientDescentOptimizer(
    tf.train.piecewise_constant(step, [3, 6], [0.1, 0.2, 0.3])
).minimize(loss, step)
hooks = [StopsWhenFlat(loss, 1e-3), tf.train.NanTensorHook(loss), tf.train.StopAtStepHook(last_step=50)]
with tf.train.MonitoredTrainingSession(
    hooks=hooks, checkpoint_dir="run", save_checkpoint_steps=5, log_step_count_steps=None
) as session:
    while not session.should_stop():
        _, at, now = session.run([train, step, w])
        print(at, now)
state = tf.train.get_checkpoint_state("run")
print([path.rsplit("-")[-1] for path in state.all_model_checkpoint_paths])
