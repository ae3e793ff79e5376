"""Values, variables, datasets and exchanges of two replicas on two logical CPUs."""

import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
print(strategy.num_replicas_in_sync, strategy.extended.worker_devices, strategy.extended.parameter_devices)


def shares(dataset):
    for x in dataset:
        print(type(x).__name__, [v.numpy().tolist() for v in x.values])


shares(strategy.experimental_distribute_dataset(tf.data.Dataset.range(11).batch(4)))
shares(strategy.experimental_distribute_dataset(tf.data.Dataset.range(9).batch(5)))
shares(strategy.distribute_datasets_from_function(lambda context: tf.data.Dataset.range(10).batch(2)))
print(strategy.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(4)).element_spec)
shares(strategy.distribute_datasets_from_function(lambda context: tf.data.Dataset.range(3)))
(pair,) = strategy.experimental_distribute_dataset(
    tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [3, 4]}).batch(2)
)
print([{key: part[key].numpy().tolist() for key in sorted(part)} for part in strategy.experimental_local_results(pair)])
print(strategy.experimental_local_results([1, {"a": 2}]), strategy.experimental_local_results(3))

with strategy.scope():
    v = tf.Variable(1.0, name="v")
    mean = tf.Variable(2.0, aggregation=tf.VariableAggregation.MEAN)
    first = tf.Variable(0.0, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)
    metric = tf.Variable(
        0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
    )
print(repr(v), repr(metric))
print(
    v.name, v.values[1].name, type(v).__name__, v.device, v.synchronization,
    isinstance(v, tf.distribute.DistributedValues),
)


def replica(x):
    context = tf.distribute.get_replica_context()
    metric.assign_add(tf.cast(context.replica_id_in_sync_group, tf.float32) + 1)
    mean.assign_add(tf.cast(x, tf.float32))
    first.assign(tf.cast(x, tf.float32) * 10)
    return x * 2, context.all_reduce("sum", tf.cast(x, tf.float32)), context.replica_id_in_sync_group


@tf.function
def step(x):
    return strategy.run(replica, args=(x,))


x = strategy.experimental_distribute_values_from_function(lambda c: tf.constant(c.replica_id_in_sync_group + 1))
print(x)
print(strategy.run(replica, args=(x,)))
print(step(x), step(x))
print(mean.numpy(), first.numpy(), metric.numpy(), metric.values)
print(
    strategy.reduce("MEAN", x, axis=None), strategy.reduce("SUM", x, axis=None), strategy.experimental_local_results(x)
)
rows = strategy.experimental_distribute_values_from_function(
    lambda c: tf.constant([1.0, 2.0]) if c.replica_id_in_sync_group == 0 else tf.constant([3.0])
)
print(strategy.reduce("MEAN", rows, axis=0), strategy.reduce("SUM", rows, axis=0), strategy.gather(rows, axis=0))

with strategy.scope():
    metric.assign(8.0)
    print(metric.values)
    try:
        metric.assign_add(1.0)
    except ValueError as error:
        print(error)
    v.assign(5.0)
    print(v.values)
try:
    strategy.reduce("SUM", tf.constant(1.0), axis=None)
except ValueError as error:
    print(type(error).__name__)


def merging():
    def merge(strategy, ids):
        print("merge", ids, tf.distribute.in_cross_replica_context())
        return strategy.reduce("sum", ids, axis=None)

    context = tf.distribute.get_replica_context()
    return context.merge_call(merge, args=(context.replica_id_in_sync_group,))


print(strategy.run(merging))
print(strategy.run(lambda: tf.distribute.get_replica_context().all_gather(rows.values[0], axis=0)))


def differentiate():
    context = tf.distribute.get_replica_context()
    w = tf.cast(context.replica_id_in_sync_group, tf.float32) + 2.0
    with tf.GradientTape() as tape:
        tape.watch(w)
        total = context.all_reduce("sum", w * w)
    return tape.gradient(total, w)


print(strategy.run(differentiate), tf.function(lambda: strategy.run(differentiate))())
tf.random.set_seed(1)
print(strategy.run(lambda: tf.random.uniform([2])))
print(tf.function(lambda: strategy.run(lambda: tf.random.uniform([2])))())
try:
    strategy.run(lambda: 1 // 0)
except ZeroDivisionError as error:
    print("ZeroDivisionError", error)
print(tf.distribute.has_strategy(), tf.distribute.get_replica_context().replica_id_in_sync_group)


@tf.function
def branches(x, scale=1.0):  # a function that `run` gets holds all replicas: they meet inside of it
    if tf.reduce_sum(x) > 0:
        y = x * scale
    else:
        y = -x
    return tf.distribute.get_replica_context().all_reduce("sum", y)


print(strategy.run(branches, args=(tf.constant([1.0, 2.0]),), kwargs={"scale": 3.0}))
print(tf.function(lambda x: strategy.run(branches.python_function, args=(x,)))(tf.constant([-1.0, -2.0])))
try:
    strategy.run(lambda x: branches(x), args=(tf.constant([1.0]),))
except RuntimeError as error:
    print("RuntimeError", "called while defining a new graph or a tf.function" in str(error))
