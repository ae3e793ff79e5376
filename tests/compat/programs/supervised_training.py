"""A supervisor trains, saves, and goes on from its checkpoint."""

import os

import tensorflow.compat.v1 as tf


def train(steps):
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        w = tf.get_variable("w", [], initializer=tf.constant_initializer(5.0))
        tf.summary.scalar("w", w)
        move = tf.train.GradientDescentOptimizer(0.1).minimize(w * w, global_step=step)
        supervisor = tf.train.Supervisor(logdir="logs", save_model_secs=0, save_summaries_secs=0)
        print(supervisor.is_chief, os.path.basename(supervisor.save_path), supervisor.summary_op is not None)
        with supervisor.managed_session() as session:
            while not supervisor.should_stop():
                _, count, value = session.run([move, step, w])
                if session.run(step) >= steps:
                    supervisor.request_stop()
            supervisor.saver.save(session, supervisor.save_path, global_step=step)
            supervisor.summary_computed(session, session.run(supervisor.summary_op))
        print(session.graph.finalized, supervisor.should_stop())
        return float(value)


print(train(2), train(4))
print(sorted(f for f in os.listdir("logs") if "events" not in f and "data" not in f))
events = [
    e for f in sorted(os.listdir("logs")) if "events" in f for e in tf.train.summary_iterator(os.path.join("logs", f))
]
print([(v.tag, round(v.simple_value, 4), e.step) for e in events for v in e.summary.value][-1])

with tf.Graph().as_default():
    count = tf.assign_add(tf.train.get_or_create_global_step(), 1)
    supervisor = tf.train.Supervisor()
    print(supervisor.start_standard_services(None), supervisor.summary_writer, supervisor.save_path)

    def fails(session, limit):
        if session.run(count) == limit:
            raise ValueError("enough")

    try:
        tf.train.basic_train_loop(supervisor, fails, args=(3,))
    except ValueError as error:
        print(error)
    try:
        tf.constant(1)
    except RuntimeError as error:
        print(error)
