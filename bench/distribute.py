"""Steps of replicas: `tf.distribute.MirroredStrategy` on two logical CPUs,
in workers of their own that begin with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from programs import Step, mlp_weights, normal, row

CPUS, BATCH, RATE = 2, 128, 0.01


def labels(count: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 10, count).astype(np.int32)


def mirrored(tf, values: list[np.ndarray], logits_of: Callable, x: np.ndarray) -> Step:
    """A training step as TensorFlow's guide writes it.

    Each replica takes its part of the batch, variables take the sum of the updates.
    """
    strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(CPUS)])
    with strategy.scope():
        weights = [tf.Variable(value, aggregation=tf.VariableAggregation.SUM) for value in values]

    def train(x, labels):
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits_of(tf, weights, x))
            loss = tf.reduce_sum(losses) / BATCH
        for w, g in zip(weights, tape.gradient(loss, weights)):
            w.assign_sub(RATE * g)
        return loss

    @tf.function
    def step(x, labels):
        return strategy.reduce("sum", strategy.run(train, args=(x, labels)), axis=None)

    def parts(array):
        cut = np.split(array, CPUS)
        return strategy.experimental_distribute_values_from_function(
            lambda context: tf.constant(cut[context.replica_id_in_sync_group])
        )

    batch = parts(x), parts(labels(BATCH))
    return lambda: step(*batch)


def mlp_logits(tf, weights, x):
    w1, b1, w2, b2 = weights
    return tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2) + b2


@row("MLP step, MirroredStrategy on 2 CPUs", group="distribute", target=1.5, cpus=CPUS)
def mlp(tf) -> Step:
    return mirrored(tf, mlp_weights(), mlp_logits, normal(BATCH, 784))


def cnn_logits(tf, weights, x):
    for kernel in weights[:2]:
        x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME")), 2, 2, "SAME")
    return tf.reshape(x, [-1, 7 * 7 * 32]) @ weights[2]


@row("CNN step, MirroredStrategy on 2 CPUs", group="distribute", target=1.5, cpus=CPUS, warm_up=10)
def cnn(tf) -> Step:
    """Images of 28x28, two convolutions of 3x3."""
    values = [0.1 * normal(3, 3, 1, 16), 0.1 * normal(3, 3, 16, 32), 0.1 * normal(7 * 7 * 32, 10)]
    return mirrored(tf, values, cnn_logits, normal(BATCH, 28, 28, 1))


def mlp_jax() -> Step:
    """The same step in plain JAX: one program over a mesh of the same devices, gradients summed by `psum`,
    weights donated."""
    import jax
    import jax.numpy as jnp
    from jax.sharding import NamedSharding, PartitionSpec

    mesh = jax.make_mesh((CPUS,), ("replicas",), devices=jax.devices("cpu")[:CPUS])
    whole, divided = PartitionSpec(), PartitionSpec("replicas")

    def loss_of(weights, x, labels):
        w1, b1, w2, b2 = weights
        log_probabilities = jax.nn.log_softmax(jax.nn.relu(x @ w1 + b1) @ w2 + b2)
        return -jnp.sum(jnp.take_along_axis(log_probabilities, labels[:, None], axis=1)) / BATCH

    def train(weights, x, labels):
        loss, gradients = jax.value_and_grad(loss_of)(jax.lax.pcast(weights, "replicas", to="varying"), x, labels)
        weights = [w - jax.lax.psum(RATE * g, "replicas") for w, g in zip(weights, gradients)]
        return weights, jax.lax.psum(loss, "replicas")

    sharded = jax.shard_map(train, mesh=mesh, in_specs=(whole, divided, divided), out_specs=(whole, whole))
    compiled = jax.jit(sharded, donate_argnums=0)
    put = lambda array, spec: jax.device_put(array, NamedSharding(mesh, spec))
    weights: Any = [put(w, whole) for w in mlp_weights()]
    x, y = put(normal(BATCH, 784), divided), put(labels(BATCH), divided)

    def step():
        nonlocal weights
        weights, loss = compiled(weights, x, y)
        return loss

    return step


# At most 1.2 times plain JAX's time for the same program and mesh.
row("MLP step on 2 CPUs, against plain JAX", group="distribute", target=1 / 1.2, jax=mlp_jax, cpus=CPUS)(mlp)
