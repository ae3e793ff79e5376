"""Mixed precision: layers compute in 16 bits, variables stay in 32.

    python -m reflow examples/mixed_precision.py            # 30 seconds
    python -m reflow examples/mixed_precision.py --fast     # a few steps only

bfloat16 has float32's range and needs no care. float16 loses small gradients, so the loss is scaled up before the
reverse pass. 16 bits save memory everywhere, and time where the hardware computes in them.
"""

import sys

import digits
import tensorflow as tf

FAST = "--fast" in sys.argv


def build():
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input((28, 28, 1)),
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
            layers.Dense(10),
            layers.Activation("softmax", dtype="float32"),  # results in 32 bits: the logarithm of a loss wants them
        ]
    )


if __name__ == "__main__":
    train_set, test_set = digits.load(*((50, 32) if FAST else (6_000, 1_000)))
    for policy in ("float32", "mixed_bfloat16", "mixed_float16"):
        tf.keras.mixed_precision.set_global_policy(policy)
        tf.keras.utils.set_random_seed(0)
        model = build()
        model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
        model.fit(*train_set, batch_size=50, epochs=1 if FAST else 3, verbose=0)
        _, accuracy = model.evaluate(*test_set, verbose=0)
        dense = model.layers[1]
        print(
            f"{policy:<15} computes in {dense.compute_dtype:<9} keeps {dense.kernel.dtype} variables, "
            f"{type(model.optimizer).__name__}: {accuracy:.1%} right"
        )
    tf.keras.mixed_precision.set_global_policy("float32")

    tiny = tf.constant(1e-8)
    scaled = tf.cast(tiny * 1024.0, tf.float16)
    print(f"Why scale?  1e-8 as float16 is {tf.cast(tiny, tf.float16).numpy()}, 1024 times it is {scaled.numpy()}")
