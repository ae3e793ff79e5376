"""Training over eight logical CPUs, divided by data, by model and by both; prints the layouts, and how far the losses are from one device's."""

import numpy as np

import reflow as tf

dtensor = tf.experimental.dtensor
U = dtensor.UNSHARDED
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 8)
mesh = dtensor.create_mesh([("batch", 4), ("model", 2)], device_type="CPU")
rng = np.random.default_rng(0)
DATA = rng.normal(size=[16, 4]).astype(np.float32)
LABELS = (DATA.sum(1, keepdims=True) > 0).astype(np.float32)
FIRST = np.linspace(-1, 1, 32).reshape(4, 8).astype(np.float32)
SECOND = np.linspace(1, -1, 8).reshape(8, 1).astype(np.float32)


def layout(*specs):
    return dtensor.Layout([*specs], mesh)


def losses(first, second, x, y):
    @tf.function
    def step():
        with tf.GradientTape() as tape:
            logits = tf.nn.relu(x @ first) @ second
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
        for v, g in zip([first, second], tape.gradient(loss, [first, second]), strict=True):
            v.assign_sub(0.5 * g)
        return loss

    return np.array([float(step()) for _ in range(5)])


alone = losses(tf.Variable(FIRST), tf.Variable(SECOND), tf.constant(DATA), tf.constant(LABELS))
for inputs, hidden, out in [
    (layout("batch", U), layout(U, U), layout(U, U)),
    (layout(U, U), layout(U, "model"), layout("model", U)),
    (layout("batch", U), layout(U, "model"), layout("model", U)),
]:
    w1, w2 = dtensor.DVariable(FIRST, layout=hidden), dtensor.DVariable(SECOND, layout=out)
    divided = losses(w1, w2, dtensor.relayout(DATA, inputs), dtensor.relayout(LABELS, inputs))
    kept = [dtensor.fetch_layout(v) == wanted for v, wanted in ((w1, hidden), (w2, out))]
    print(kept, bool(np.abs(divided - alone).max() < 1e-5))
