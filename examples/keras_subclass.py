"""Keras, style 3 of 4: a class of one's own. Layers are made in `__init__`, used in `call`.

    python -m reflow examples/keras_subclass.py            # 20 seconds
    python -m reflow examples/keras_subclass.py --fast     # a few steps only
"""

import sys

import digits
import tensorflow as tf

FAST = "--fast" in sys.argv


class MLP(tf.keras.Model):
    """Two dense layers. `call` is ordinary Python, and runs once for each kind of input: Keras traces it."""

    def __init__(self, units=100):
        super().__init__()
        self.flatten = tf.keras.layers.Flatten()
        self.hidden = tf.keras.layers.Dense(units, activation=tf.nn.relu)
        self.classify = tf.keras.layers.Dense(10)

    def call(self, images):
        return self.classify(self.hidden(self.flatten(images)))


class CNN(tf.keras.Model):
    """Convolutions in a loop, and dropout that is active in training alone: `training` says which it is."""

    def __init__(self, filters=(16, 32)):
        super().__init__()
        self.convolutions = [tf.keras.layers.Conv2D(n, 3, padding="same", activation="relu") for n in filters]
        self.pool = tf.keras.layers.MaxPool2D()
        self.flatten = tf.keras.layers.Flatten()
        self.dropout = tf.keras.layers.Dropout(0.3)
        self.classify = tf.keras.layers.Dense(10)

    def call(self, images, training=False):
        x = images
        for convolution in self.convolutions:
            x = self.pool(convolution(x))
        return self.classify(self.dropout(self.flatten(x), training=training))


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(0)
    train_set, test_set = digits.load(*((50, 32) if FAST else (6_000, 1_000)))
    for model in (MLP(), CNN()):
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(tf.keras.optimizers.Adam(0.002), loss, metrics=["accuracy"])
        model.fit(*train_set, batch_size=50, epochs=1 if FAST else 3, verbose=0)
        _, accuracy = model.evaluate(*test_set, verbose=0)
        name = type(model).__name__
        print(f"{name}: {model.count_params():,} parameters, {accuracy:.1%} of {len(test_set[0])} unseen digits right")
        guesses = model.predict(test_set[0][:10], verbose=0).argmax(axis=1)
        print(f"  first ten: {guesses.tolist()}\n  truth:     {test_set[1][:10].tolist()}")
