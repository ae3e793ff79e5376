"""DTensor on eight logical CPUs: layouts of results, functions, gradients, training in three ways,
datasets, checkpoints."""

import os
import tempfile

import numpy as np
import tensorflow as tf

dtensor = tf.experimental.dtensor
U = dtensor.UNSHARDED
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 8)
mesh = dtensor.create_mesh([("batch", 4), ("model", 2)], device_type="CPU")


def layout(*specs):
    return dtensor.Layout([*specs], mesh)


def specs(t):
    return dtensor.fetch_layout(t).sharding_specs


def whole(t):
    return dtensor.relayout(t, dtensor.Layout.replicated(mesh, t.shape.rank)).numpy().round(4).tolist()


# eager ops
x = dtensor.relayout(tf.reshape(tf.range(16.0), [8, 2]), layout("batch", U))
w = dtensor.relayout(tf.ones([2, 4]), layout(U, "model"))
print("product", specs(x @ w), whole(x @ w)[1])
print("sums", specs(tf.reduce_sum(x, 0)), specs(tf.reduce_sum(x, 1)), float(tf.reduce_sum(x)))
print("shapes", specs(tf.transpose(x)), specs(tf.expand_dims(x, 0)), specs(tf.cast(x, tf.int32)))
print("parts", [t.numpy().ravel().tolist() for t in dtensor.unpack(x)])
print(
    "packed", whole(dtensor.pack([[float(i)] for i in range(8)], layout(U)))[:1], dtensor.is_dtensor(x),
    dtensor.is_dtensor(1.0),
)


# functions
@tf.function
def f(a, b):
    c = tf.nn.relu(a @ b - 3.0)
    return c, tf.reduce_mean(c)


@tf.function
def g(a, b):
    return dtensor.relayout(tf.nn.relu(a @ b - 3.0), layout(U, U))


for _ in range(2):
    c, e = f(x, w)
    print("function", specs(c), specs(g(x, w)), specs(e), float(e), whole(c)[7])


# gradients
@tf.function
def gradients(a, b):
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        loss = tf.reduce_sum(tf.tanh(dtensor.relayout(a, layout("batch", U)) @ b * 0.1))
    return loss, *tape.gradient(loss, [a, b])


loss, gx, gw = gradients(x, w)
print("gradients", gx.shape, gw.shape, round(float(loss), 4), whole(gw)[0])

# variables
v = dtensor.DVariable(dtensor.relayout(tf.ones([4, 2]), layout("batch", "model")))
v.assign_add(dtensor.relayout(tf.ones([4, 2]), layout(U, U)))
print("variable", specs(v), v.layout == layout("batch", "model"), whole(v.read_value())[0], v.shape)


# training: data parallel, model parallel, both
rng = np.random.default_rng(0)
DATA = rng.normal(size=[16, 4]).astype(np.float32)
LABELS = (DATA.sum(1, keepdims=True) > 0).astype(np.float32)


class MLP(tf.Module):
    def __init__(self, hidden, out):
        super().__init__()
        first = np.linspace(-1, 1, 4 * 8).reshape(4, 8).astype(np.float32)
        second = np.linspace(1, -1, 8).reshape(8, 1).astype(np.float32)
        self.w1 = dtensor.DVariable(dtensor.relayout(first, hidden))
        self.b1 = dtensor.DVariable(
            dtensor.call_with_layout(tf.zeros, dtensor.Layout(hidden.sharding_specs[1:], mesh), shape=[8])
        )
        self.w2 = dtensor.DVariable(dtensor.relayout(second, out))

    def __call__(self, x):
        return tf.nn.relu(x @ self.w1 + self.b1) @ self.w2


@tf.function
def train_step(model, x, y, rate):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=model(x)))
    variables = [model.w1, model.b1, model.w2]
    for v, g in zip(variables, tape.gradient(loss, variables)):
        v.assign_sub(rate * g)
    return loss


for name, inputs, hidden, out in [
    ("data", layout("batch", U), layout(U, U), layout(U, U)),
    ("model", layout(U, U), layout(U, "model"), layout("model", U)),
    ("both", layout("batch", U), layout(U, "model"), layout("model", U)),
]:
    model = MLP(hidden, out)
    step = tf.function(train_step.python_function)
    losses = [
        float(step(model, dtensor.relayout(DATA, inputs), dtensor.relayout(LABELS, inputs), tf.constant(0.5)))
        for _ in range(6)
    ]
    print(name, [round(loss, 4) for loss in losses], specs(model.w1), specs(model.b1), specs(model.w2))

# checkpoints
folder = tempfile.mkdtemp()
path = tf.train.Checkpoint(model=model).save(os.path.join(folder, "ckpt"))
again = MLP(layout(U, U), layout(U, U))
tf.train.Checkpoint(model=again).restore(path).assert_consumed()
print("restored", specs(again.w1), np.allclose(whole(again.w1.read_value()), whole(model.w1.read_value())))

# datasets
dataset = tf.data.Dataset.from_tensor_slices((tf.reshape(tf.range(32.0), [16, 2]), tf.range(16)))
batches = dtensor.DTensorDataset(
    dataset, mesh=mesh, layouts=(layout("batch", U), layout("batch")), global_batch_size=8, batch_dim="batch"
)
print("dataset", batches.element_spec)
for a, b in batches:
    print("batch", specs(a), specs(b), whole(b))
