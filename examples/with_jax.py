"""To JAX and back (Reflow only): tensors are JAX arrays without a copy, and functions of one can call the other.

    python -m reflow examples/with_jax.py
"""

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf


def arrays():
    """A tensor is an array to JAX; DLPack carries it over without a copy."""
    tensor = tf.reshape(tf.range(6.0), [2, 3])
    array = jnp.asarray(tensor)
    back = tf.constant(array * 10)
    print(f"tf -> jax: {type(array).__name__}, sum {float(array.sum())};  jax -> tf: {back.numpy().tolist()}")
    print(
        f"by DLPack: {jnp.from_dlpack(tensor).shape}, "
        f"{tf.experimental.dlpack.from_dlpack(array.__dlpack__()).dtype.name}"
    )


def jax_in_tensorflow():
    """A JAX function as a part of a TensorFlow function, with its gradient."""
    forward = jax.jit(lambda x: jnp.sum(jnp.sin(x) ** 2))
    slope = jax.jit(jax.grad(forward))

    @tf.custom_gradient
    def energy(x):
        value = tf.numpy_function(lambda a: np.asarray(forward(a)), [x], tf.float32)
        return value, lambda upstream: upstream * tf.ensure_shape(
            tf.numpy_function(lambda a: np.asarray(slope(a)), [x], tf.float32), x.shape
        )

    x = tf.Variable([0.5, 1.0])
    with tf.GradientTape() as tape:
        y = energy(tf.identity(x))
    print(f"a JAX function under a tape: {y.numpy():.4f}, gradient {tape.gradient(y, x).numpy().round(4).tolist()}")


def weights():
    """A Keras model's weights, used by a forward pass in JAX: the same numbers."""
    tf.keras.utils.set_random_seed(0)
    model = tf.keras.Sequential(
        [tf.keras.Input((4,)), tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1)]
    )
    (w1, b1, w2, b2) = (jnp.asarray(w) for w in model.get_weights())

    @jax.jit
    def forward(x):
        return jax.nn.relu(x @ w1 + b1) @ w2 + b2

    x = np.linspace(-1, 1, 12, dtype="float32").reshape(3, 4)
    same = np.allclose(forward(x), model(x), atol=1e-6)
    print(f"a Keras model's weights in JAX, the same results: {same}")
    per_example = jax.vmap(jax.grad(lambda x: forward(x[None])[0, 0]))(x)
    print(f"and what JAX does best: gradients of each example, {per_example.shape}")


if __name__ == "__main__":
    arrays()
    jax_in_tensorflow()
    weights()
