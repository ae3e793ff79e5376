"""Transfer learning: a network that knows the digits 0 to 4 learns 5 to 9 from a hundred images.

    python -m reflow examples/transfer_learning.py            # 20 seconds
    python -m reflow examples/transfer_learning.py --fast     # a few steps only

First the convolutions are frozen and a new last layer learns. Then all layers are tuned, slowly.
"""

import sys

import digits
import tensorflow as tf

FAST = "--fast" in sys.argv
EPOCHS = 1 if FAST else 15  # over few images


def features():
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input((28, 28, 1)),
            layers.Conv2D(16, 3, activation="relu"),
            layers.MaxPool2D(),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPool2D(),
            layers.Flatten(),
        ],
        name="features",
    )


def classifier(base):
    return tf.keras.Sequential([base, tf.keras.layers.Dense(5)])


def train(model, images, labels, epochs, rate):
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(rate), loss, metrics=["accuracy"])
    model.fit(images, labels, batch_size=64 if FAST else 25, epochs=epochs, verbose=0)


def score(model, images, labels):
    return f"{model.evaluate(images, labels, verbose=0)[1]:.1%}"


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(0)
    (x, y), (x_test, y_test) = digits.load(*((110, 32) if FAST else (6_000, 1_000)))
    new, few = y >= 5, 25 if FAST else 100
    unseen = x_test[y_test >= 5], y_test[y_test >= 5] - 5

    base = features()
    train(classifier(base), x[~new], y[~new], 1 if FAST else 3, 0.001)
    print(f"trained on {(~new).sum()} images of 0 to 4")

    if not FAST:
        scratch = classifier(features())
        train(scratch, x[new][:few], y[new][:few] - 5, EPOCHS, 0.001)
        print(f"from scratch on {few} images of 5 to 9:        {score(scratch, *unseen)} of unseen digits")

    base.trainable = False
    model = classifier(base)
    train(model, x[new][:few], y[new][:few] - 5, EPOCHS, 0.003)
    print(f"frozen features, {len(model.trainable_variables)} trainable variables:  {score(model, *unseen)}")

    base.trainable = True
    train(model, x[new][:few], y[new][:few] - 5, EPOCHS, 0.0001)
    print(f"all {len(model.trainable_variables)} variables tuned:                {score(model, *unseen)}")
