"""Keras `fit`, and custom loops, under `MirroredStrategy` on two logical CPUs."""

import os
import tempfile

import numpy as np
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
tf.keras.utils.set_random_seed(3)
rng = np.random.default_rng(0)
x, y = rng.normal(size=(100, 8)).astype("float32"), rng.integers(0, 3, 100)
weights = [rng.normal(size=s).astype("float32") for s in ((8, 16), (16,), (16, 3), (3,))]


def make(synchronized=False):
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8,)),
            layers.Dense(16, "relu"),
            layers.BatchNormalization(synchronized=synchronized),
            layers.Dense(3),
        ]
    )
    model.layers[0].set_weights(weights[:2])
    model.layers[2].set_weights(weights[2:])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    return model


def show(*values):
    print(*[f"{float(v):.4f}" for v in values])


for synchronized in (False, True):
    with strategy.scope():
        model = make(synchronized)
    history = model.fit(x, y, batch_size=16, epochs=3, shuffle=False, verbose=0).history
    show(*history["loss"], *history["accuracy"])
    show(*model.evaluate(x, y, batch_size=16, verbose=0))
    predicted = model.predict(x, batch_size=30, verbose=0)
    print(predicted.shape)
    show(predicted.sum())

with strategy.scope():
    model = make()
    optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
    losses = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
    optimizer.build(model.trainable_variables)
    accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
data = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((x, y)).batch(16))


def replica_step(batch):
    images, labels = batch
    with tf.GradientTape() as tape:
        logits = model(images, training=True)
        loss = tf.nn.compute_average_loss(losses(labels, logits), global_batch_size=16)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    accuracy.update_state(labels, logits)
    return loss


@tf.function
def train_step(batch):
    return strategy.reduce("SUM", strategy.run(replica_step, args=(batch,)), axis=None)


@tf.function
def train_epoch(batches):
    total = 0.0
    for batch in batches:
        total += strategy.reduce("SUM", strategy.run(replica_step, args=(batch,)), axis=None)
    return total


for _ in range(2):
    show(sum(float(train_step(batch)) for batch in data), accuracy.result())
    accuracy.reset_state()
show(train_epoch(data))

# Saved on two devices, restored on one, and back.
checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
with tempfile.TemporaryDirectory() as folder:
    path = checkpoint.save(os.path.join(folder, "two"))
    before = [v.numpy() for v in model.weights]
    alone = make()
    tf.train.Checkpoint(model=alone).restore(path).expect_partial()
    print(all(np.allclose(a, b.numpy()) for a, b in zip(before, alone.weights)))
    for v in model.weights:
        v.assign(v * 0)
    checkpoint.restore(path)
    print(all(np.allclose(a, b.numpy()) for a, b in zip(before, model.weights)))
    print(all(np.allclose(*[c.numpy() for c in v.value.values]) for v in model.weights))
