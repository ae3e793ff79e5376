"""Keras, style 2 of 4: the functional API, for networks that are not a list. Two inputs, a shortcut, two outputs.

    python -m reflow examples/keras_functional.py            # 25 seconds
    python -m reflow examples/keras_functional.py --fast     # a few steps only

The network sees two digits. It says whether their sum is above nine, and what the first digit is.
"""

import sys

import digits
import numpy as np
import tensorflow as tf

FAST = "--fast" in sys.argv


def residual_block(x, filters):
    """Two convolutions, and the input added to their result.

    A 1 x 1 convolution gives the shortcut as many channels.
    """
    shortcut = tf.keras.layers.Conv2D(filters, 1)(x)
    x = tf.keras.layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    x = tf.keras.layers.Conv2D(filters, 3, padding="same")(x)
    return tf.keras.layers.ReLU()(tf.keras.layers.Add()([x, shortcut]))


def build():
    """The same `eye` looks at both digits: a layer that is called twice shares its weights."""
    image = tf.keras.Input((28, 28, 1))
    x = tf.keras.layers.MaxPool2D()(image)
    x = residual_block(x, 16)
    x = tf.keras.layers.MaxPool2D()(x)
    eye = tf.keras.Model(image, tf.keras.layers.Dense(32, activation="relu")(tf.keras.layers.Flatten()(x)), name="eye")

    first, second = tf.keras.Input((28, 28, 1), name="first"), tf.keras.Input((28, 28, 1), name="second")
    seen = eye(first)
    both = tf.keras.layers.Concatenate()([seen, eye(second)])
    above = tf.keras.layers.Dense(1, activation="sigmoid", name="above_nine")(
        tf.keras.layers.Dense(64, activation="relu")(both)
    )
    digit = tf.keras.layers.Dense(10, activation="softmax", name="digit")(seen)
    return tf.keras.Model({"first": first, "second": second}, {"above_nine": above, "digit": digit})


def pairs(images, labels, seed):
    """Random pairs of digits, with both answers."""
    order = np.random.default_rng(seed).permutation(len(images))
    inputs = {"first": images, "second": images[order]}
    return inputs, {"above_nine": (labels + labels[order] > 9).astype("float32"), "digit": labels}


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(0)
    train_set, test_set = digits.load(*((50, 32) if FAST else (6_000, 1_000)))
    model = build()
    print(
        f"Inputs {model.input_names if hasattr(model, 'input_names') else list(model.input)}, "
        f"{model.count_params():,} parameters."
    )
    model.compile(
        "adam",
        loss={"above_nine": "binary_crossentropy", "digit": "sparse_categorical_crossentropy"},
        loss_weights={"above_nine": 2.0, "digit": 1.0},
        metrics={"above_nine": "accuracy", "digit": "accuracy"},
    )
    model.fit(*pairs(*train_set, seed=0), batch_size=50, epochs=1 if FAST else 4, verbose=0)
    scores = model.evaluate(*pairs(*test_set, seed=1), verbose=0, return_dict=True)
    print(f"Is the sum of two unseen digits above nine?  {scores['above_nine_accuracy']:.1%} right")
    print(f"Which digit is the first?                    {scores['digit_accuracy']:.1%} right")
