"""Monitored sessions: hooks, scaffolds, checkpoints that training goes on from, errors."""

import logging
import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

lines = []


class Lines(logging.Handler):
    def emit(self, record):
        lines.append(record.getMessage())


logger = logging.getLogger("tensorflow")
logger.addHandler(Lines())
logger.propagate = False
tf.logging.set_verbosity(tf.logging.INFO)


class Told(tf.train.SessionRunHook):
    """Prints what it is told."""

    def begin(self):
        print("begin")

    def after_create_session(self, session, coord):
        print("created", type(session).__name__, type(coord).__name__)

    def before_run(self, run_context):
        print("before", run_context.original_args.fetches.name, run_context.stop_requested)
        return tf.train.SessionRunArgs({"step": tf.train.get_global_step()})

    def after_run(self, run_context, run_values):
        print("after", sorted(run_values.results))

    def end(self, session):
        print("end", session.run(tf.train.get_global_step()))


class Listener(tf.train.CheckpointSaverListener):
    def before_save(self, session, step):
        print("before save", step)

    def after_save(self, session, step):
        print("after save", step)

    def end(self, session, step):
        print("listener's end", step)


def model():
    tf.reset_default_graph()
    x = tf.constant([[1.0], [2.0], [3.0]])
    w = tf.get_variable("w", [1, 1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 2.0 * x), name="loss")
    tf.summary.scalar("loss", loss)
    train = tf.train.GradientDescentOptimizer(0.05).minimize(loss, tf.train.get_or_create_global_step(), name="train")
    return w, loss, train


w, loss, train = model()
with tf.train.MonitoredSession(hooks=[Told(), tf.train.StopAtStepHook(num_steps=2)]) as session:
    while not session.should_stop():
        session.run(train)
    print("stop", session.should_stop())

folder = tempfile.mkdtemp()
for last in (3, 5):
    w, loss, train = model()
    saver = tf.train.CheckpointSaverHook(folder, save_steps=2, listeners=[Listener()])
    tf.add_to_collection(tf.GraphKeys.SAVERS, tf.train.Saver())
    hooks = [
        tf.train.StopAtStepHook(last_step=last),
        saver,
        tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=2, formatter=lambda v: f"loss={v['loss']:.4f}"),
        tf.train.NanTensorHook(loss),
        tf.train.FinalOpsHook(w),
    ]
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=folder, save_checkpoint_secs=None, hooks=hooks, log_step_count_steps=None
    ) as session:
        print("first step", session.run(tf.train.get_global_step()))
        while not session.should_stop():
            session.run(train)
    print("final", hooks[-1].final_ops_values)
print(sorted(n for n in os.listdir(folder) if not n.startswith("events")))
print(tf.train.latest_checkpoint(folder).replace(folder, ""))
print([line for line in lines if line.startswith("loss=")])
events = [
    e for n in sorted(os.listdir(folder)) if n.startswith("events")
    for e in tf.train.summary_iterator(os.path.join(folder, n))
]
print([(v.tag, round(v.simple_value, 4), e.step) for e in events for v in e.summary.value])
print([(e.session_log.status, e.step) for e in events if e.HasField("session_log")])

w, loss, train = model()
nan = tf.constant(float("nan"))
try:
    with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(nan)]) as session:
        session.run(train)
except tf.train.NanLossDuringTrainingError as error:
    print("NaN:", error)

w, loss, train = model()
scaffold = tf.train.Scaffold(
    init_fn=lambda scaffold, session: session.run(w.initializer, {w.initializer.inputs[1]: [[7.0]]})
)
with tf.train.SingularMonitoredSession(scaffold=scaffold) as session:
    print(session.raw_session().run(w), session.graph is tf.get_default_graph(), session.graph.finalized)
    print(session.run_step_fn(lambda step_context: step_context.run_with_hooks(loss)))
for wrong in (
    lambda: tf.train.StopAtStepHook(),
    lambda: tf.train.StopAtStepHook(num_steps=1, last_step=1),
    lambda: tf.train.LoggingTensorHook(["a"]),
    lambda: tf.train.SecondOrStepTimer(),
    lambda: tf.train.SummarySaverHook(save_steps=1),
):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, error)

w, loss, train = model()
data = tf.data.Dataset.range(3)
p = tf.placeholder(tf.float32, [])
twice = p * 2.0
with tf.train.MonitoredSession(hooks=[tf.train.FeedFnHook(lambda: {p: 4.0})]) as session:
    print(session.run(twice))

w, loss, train = model()
number = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
seen = []
with tf.train.MonitoredSession() as session:
    while not session.should_stop():
        seen.append(session.run(number))
print(seen)

w, loss, train = model()
with tf.train.MonitoredSession() as session:
    metadata = tf.RunMetadata()
    session.run(train, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    print(any("MatMul" in n.timeline_label for d in metadata.step_stats.dev_stats for n in d.node_stats))

manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
try:
    manager.prepare_session("", init_op=None)
except RuntimeError as error:
    print(error)
session, ready = manager.recover_session("")
print(ready)
timer = tf.train.SecondOrStepTimer(every_steps=3)
print([timer.should_trigger_for_step(s) for s in (0, 1)], timer.update_last_triggered_step(1))
print([timer.should_trigger_for_step(s) for s in (3, 4)], timer.last_triggered_step())
tf.logging.set_verbosity(tf.logging.ERROR)
print(np.float32(1))
