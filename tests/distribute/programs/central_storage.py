"""`CentralStorageStrategy` on two logical CPUs: one copy of each variable."""

import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"], "CPU:0")
print(strategy.num_replicas_in_sync, strategy.extended.parameter_devices)
with strategy.scope():
    total = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
    mean = tf.Variable(2.0, aggregation=tf.VariableAggregation.MEAN)
    plain = tf.Variable(5.0)
print(type(total).__name__, total)


def step():
    number = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32) + 1
    total.assign_add(number)
    mean.assign(number * 3)
    return total.read_value() + 0


print(strategy.run(step))
print(strategy.run(tf.function(step)))
print(total.numpy(), mean.numpy())
try:
    strategy.run(lambda: plain.assign_add(1.0))
except ValueError as error:
    print("ValueError", str(error)[:60])

with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, kernel_initializer="ones")])
    model.compile("sgd", "mse")
x = tf.reshape(tf.range(36.0), (12, 3)) / 36.0
history = model.fit(x, x[:, :2], batch_size=4, epochs=2, shuffle=False, verbose=0).history
print([f"{loss:.4f}" for loss in history["loss"]])
