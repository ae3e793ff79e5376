"""Keras, style 1 of 4: `Sequential`, a list of layers. A dense network and a convolutional one read digits.

    python -m reflow examples/keras_sequential.py            # 20 seconds
    python -m reflow examples/keras_sequential.py --fast     # a few steps only
"""

import sys

import digits
import tensorflow as tf

FAST = "--fast" in sys.argv


def dense_network():
    return tf.keras.Sequential(
        [
            tf.keras.Input((28, 28, 1)),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(100, activation="relu"),
            tf.keras.layers.Dropout(0.2),
            tf.keras.layers.Dense(10),
        ],
        name="dense",
    )


def convolutional_network():
    return tf.keras.Sequential(
        [
            tf.keras.Input((28, 28, 1)),
            tf.keras.layers.Conv2D(16, 3, activation="relu"),
            tf.keras.layers.MaxPool2D(),
            tf.keras.layers.Conv2D(32, 3, activation="relu"),
            tf.keras.layers.MaxPool2D(),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(10),
        ],
        name="convolutional",
    )


def train(model, train_set, test_set):
    """The three steps of every Keras program: compile, fit, evaluate."""
    model.compile(
        optimizer="adam",
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    history = model.fit(*train_set, batch_size=50, epochs=1 if FAST else 3, validation_split=0.1, verbose=0)
    for epoch, (loss, accuracy) in enumerate(zip(history.history["loss"], history.history["val_accuracy"]), start=1):
        print(f"  epoch {epoch}: loss {loss:.3f}, {accuracy:.1%} right on the tenth that was held back")
    _, accuracy = model.evaluate(*test_set, verbose=0)
    print(f"  {accuracy:.1%} of {len(test_set[0])} unseen digits read correctly")


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(0)
    train_set, test_set = digits.load(*((50, 32) if FAST else (6_000, 1_000)))
    for build in (dense_network, convolutional_network):
        model = build()
        print(f"The {model.name} network has {model.count_params():,} parameters in {len(model.layers)} layers.")
        train(model, train_set, test_set)
