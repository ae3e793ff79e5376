"""A denoising autoencoder: a network that squeezes digits through eight numbers, and cleans noisy ones.

    python -m reflow examples/autoencoder.py            # 30 seconds
    python -m reflow examples/autoencoder.py --fast     # a few steps only
"""

import sys

import digits
import numpy as np
import tensorflow as tf

FAST = "--fast" in sys.argv
CODE = 8


def build():
    """An encoder and a decoder, and the model that is both."""
    layers = tf.keras.layers
    encoder = tf.keras.Sequential(
        [tf.keras.Input((28, 28, 1)), layers.Flatten(), layers.Dense(256, activation="relu"), layers.Dense(CODE)],
        name="encoder",
    )
    decoder = tf.keras.Sequential(
        [
            tf.keras.Input((CODE,)),
            layers.Dense(256, activation="relu"),
            layers.Dense(784, activation="sigmoid"),
            layers.Reshape((28, 28, 1)),
        ],
        name="decoder",
    )
    return encoder, decoder, tf.keras.Sequential([encoder, decoder])


def noisy(images, seed):
    noise = np.random.default_rng(seed).normal(0, 0.3, images.shape)
    return np.clip(images + noise, 0, 1).astype("float32")


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(0)
    (train, _), (test, labels) = digits.load(*((50, 32) if FAST else (6_000, 1_000)))
    encoder, decoder, model = build()
    model.compile("adam", loss="binary_crossentropy")
    print(f"784 pixels -> {CODE} numbers -> 784 pixels, {model.count_params():,} parameters")
    history = model.fit(noisy(train, 0), train, batch_size=50, epochs=1 if FAST else 12, verbose=0)
    print(
        f"loss {history.history['loss'][0]:.3f} after the first epoch, {history.history['loss'][-1]:.3f} after the last"
    )

    spoiled = noisy(test, 1)
    cleaned = model.predict(spoiled, verbose=0)
    print(
        f"mean error of a noisy pixel {np.abs(spoiled - test).mean():.3f}, of a cleaned one "
        f"{np.abs(cleaned - test).mean():.3f}"
    )
    for name, image in (("noisy", spoiled[0]), ("cleaned", cleaned[0])):
        print(f"A {labels[0]}, {name}:\n{digits.picture(image)}")
