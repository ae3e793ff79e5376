"""strategy.run with one device: variables in scope, reductions, a distributed dataset, the replica context."""
import numpy as np
import tensorflow as tf

for make in (lambda: tf.distribute.OneDeviceStrategy("/cpu:0"), lambda: tf.distribute.MirroredStrategy(["/cpu:0"])):
    strategy = make()
    with strategy.scope():
        w = tf.Variable(2.0)
        metric = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)
    ds = strategy.experimental_distribute_dataset(tf.data.Dataset.range(1, 9).map(lambda x: tf.cast(x, tf.float32)).batch(4))

    def replica_step(x):
        ctx = tf.distribute.get_replica_context()
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss((x * w - 1.0) ** 2, global_batch_size=4)
        g = ctx.all_reduce(tf.distribute.ReduceOp.SUM, tape.gradient(loss, w))
        w.assign_sub(0.001 * g)
        metric.assign_add(loss)
        return loss

    @tf.function
    def train_step(inputs):
        per_replica = strategy.run(replica_step, args=(inputs,))
        return strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica, axis=None)

    for batch in ds:
        print(f"{float(train_step(batch)):.4f}")
    print(type(strategy).__name__, strategy.num_replicas_in_sync, f"{w.numpy():.4f}", f"{metric.numpy():.3f}")
    print(tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context())

    @tf.function
    def whole_epoch(dataset):
        total = 0.0
        for batch in dataset:
            total += strategy.reduce("SUM", strategy.run(replica_step, args=(batch,)), axis=None)
        return total

    print(f"{float(whole_epoch(ds)):.3f}", np.round(w.numpy(), 3))
