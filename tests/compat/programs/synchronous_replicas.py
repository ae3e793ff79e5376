"""One worker with a synchronous optimizer: gradients are averaged before a step; those for an old step are dropped."""

import time

import tensorflow.compat.v1 as tf

step = tf.train.get_or_create_global_step()
a, b = tf.Variable(0.0, name="a"), tf.Variable([[3.0], [4.0]], name="b")
optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(2.0), replicas_to_aggregate=1)
rows = tf.IndexedSlices(tf.constant([[0.5]]), tf.constant([1]), tf.constant([2, 1]))
early = optimizer.make_session_run_hook(True)
try:
    early.begin()
except ValueError as error:
    print(error)
try:
    optimizer.apply_gradients([(tf.constant(0.1), a)])
except ValueError as error:
    print(error)
train = optimizer.apply_gradients([(tf.constant(0.1), a), (rows, b)], global_step=step)
hook = optimizer.make_session_run_hook(True)
with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
    print(session.run([step, a]))
    for wanted in (1, 1, 2):
        session.run(train)
        while session.run(step) != wanted:
            time.sleep(0.01)
        print(session.run([step, a]), session.run(b).ravel().tolist())
print(tf.train.replica_device_setter(), len(optimizer.variables()))
