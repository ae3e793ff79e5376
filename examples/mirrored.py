"""Training on several devices: `MirroredStrategy` on a CPU that is split into two logical ones. GPUs work the same way.

    python -m reflow examples/mirrored.py            # 20 seconds
    python -m reflow examples/mirrored.py --fast     # a few steps only

Every device has a copy of the variables and gets a half of each batch. Gradients are added up before a step.
"""

import sys

import digits
import tensorflow as tf

FAST = "--fast" in sys.argv


def two_devices():
    """Before anything is computed: TensorFlow wants to know its devices first."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    return [device.name for device in tf.config.list_logical_devices("CPU")]


def build():
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [tf.keras.Input((28, 28, 1)), layers.Flatten(), layers.Dense(64, activation="relu"), layers.Dense(10)]
    )


def by_fit(strategy, train_set, test_set):
    """Only where the model is made changes; `fit` divides the batches itself."""
    with strategy.scope():
        model = build()
        model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    model.fit(*train_set, batch_size=100, epochs=1 if FAST else 3, verbose=0)
    print(f"fit: {model.evaluate(*test_set, verbose=0)[1]:.1%} of unseen digits right")


def by_hand(strategy):
    """What happens inside: each replica computes on its part, `reduce` brings the parts together."""
    with strategy.scope():
        weight = tf.Variable(1.0)
    batches = strategy.experimental_distribute_dataset(
        tf.data.Dataset.range(8).map(lambda x: tf.cast(x, tf.float32)).batch(4)
    )

    @tf.function
    def step(batch):
        def replica(part):
            context = tf.distribute.get_replica_context()
            tf.print("  replica", context.replica_id_in_sync_group, "sees", part)
            return tf.reduce_sum(weight * part)

        return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(replica, args=(batch,)), axis=None)

    for batch in batches:
        print(f"  sum over the replicas: {step(batch).numpy()}")


if __name__ == "__main__":
    print(f"devices: {two_devices()}")
    tf.keras.utils.set_random_seed(0)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    print(f"{strategy.num_replicas_in_sync} replicas")
    by_hand(strategy)
    by_fit(strategy, *digits.load(*((50, 32) if FAST else (6_000, 1_000))))
