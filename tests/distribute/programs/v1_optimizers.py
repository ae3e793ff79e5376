"""Version 1's optimizers with two replicas that see different data: all copies make the step of both gradients."""

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
REDUCTION = tf.distribute.ReductionToOneDevice()
STRATEGIES = {
    "mirrored": lambda: tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"], REDUCTION),
    "version 1's": lambda: v1.distribute.MirroredStrategy(["CPU:0", "CPU:1"], REDUCTION),
    "central storage": lambda: tf.distribute.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"]),
}
OPTIMIZERS = {
    v1.train.GradientDescentOptimizer: (), v1.train.AdamOptimizer: (), v1.train.RMSPropOptimizer: (),
    v1.train.AdagradOptimizer: (), v1.train.MomentumOptimizer: (0.9,), v1.train.FtrlOptimizer: (),
    v1.train.AdadeltaOptimizer: (),
}  # fmt: skip


def data():
    mine = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
    return tf.stack([1.0 + mine, 3.0])


def trained(strategy, optimizer, sparse, wrap):
    """All copies of two variables, and the step, after three steps in eager code or in a function."""
    with strategy.scope():
        w, b = tf.Variable([1.0, 2.0]), tf.Variable(0.5)
        count = tf.Variable(0, False, dtype=tf.int64, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)

        def replica():
            x = data()
            rows = lambda: tf.reduce_sum(tf.gather(w, [0]) * x[0]) + b * b
            optimizer.minimize(rows if sparse else lambda: tf.reduce_sum(w * x) * b, count)
            return 0.0

        step = wrap(lambda: strategy.run(replica))
        for _ in range(3):
            step()
        copies = strategy.experimental_local_results(w) + strategy.experimental_local_results(b)
        return [np.round(copy.numpy(), 4).tolist() for copy in copies], int(count.numpy())


def trained_in_graph(strategy, kind, more):
    with tf.Graph().as_default(), v1.Session() as session, strategy.scope():
        w, step = v1.get_variable("w", initializer=[1.0, 2.0]), v1.train.get_or_create_global_step()
        optimizer = kind(0.1, *more)
        train = strategy.group(strategy.run(lambda: optimizer.minimize(tf.reduce_sum(w * w * data()), step)))
        copies = list(strategy.experimental_local_results(w))
        session.run(v1.global_variables_initializer())
        for _ in range(2):
            session.run(train)
        count = session.run(strategy.extended.read_var(step))
        return [np.round(copy, 4).tolist() for copy in session.run(copies)], int(count)


for name, make in STRATEGIES.items():
    for kind, more in OPTIMIZERS.items():
        for sparse, wrap in ((False, lambda f: f), (False, tf.function), (True, lambda f: f)):
            print(name, kind.__name__, sparse, trained(make(), kind(0.1, *more), sparse, wrap))
        print(name, kind.__name__, "in a graph", trained_in_graph(make(), kind, more))
