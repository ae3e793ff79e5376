"""What `make demo` runs: a regression with a gradient tape, then two networks trained by Keras' `fit`.

    python -m reflow examples/demo.py

All parts are ordinary TensorFlow programs. The networks read 7,000 digits of MNIST that come with Reflow.
"""

import time

import regression
import tensorflow as tf
from PIL import Image, ImageDraw

from reflow.datasets import mnist_small


def section(title):
    print(f"\n{title}\n{'-' * len(title)}")


def regression_part():
    section("1. Linear regression with tf.GradientTape, 10,000 eager steps")
    start = time.perf_counter()
    a, b = regression.train()
    seconds = time.perf_counter() - start
    exact = regression.least_squares()
    print(f"  found   y = {a.numpy():.4f} x + {b.numpy():.4f}   in {seconds:.1f} s")
    print(f"  exact   y = {exact[0]:.4f} x + {exact[1]:.4f}")


def digits():
    """Images as rows of floats in [0, 1], labels as integers."""
    (x_train, y_train), (x_test, y_test) = mnist_small()
    flat = [x.reshape(-1, 784).astype("float32") / 255 for x in (x_train, x_test)]
    return (flat[0], y_train), (flat[1], y_test)


def train(model, x_train, y_train, x_test, y_test, **fit):
    """Compile, fit, and say how well it does on digits it has not seen."""
    rate = tf.keras.optimizers.schedules.ExponentialDecay(0.001, decay_steps=120, decay_rate=0.7)
    model.compile(
        optimizer=tf.keras.optimizers.Adam(rate),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    start = time.perf_counter()
    model.fit(x_train, y_train, batch_size=50, **fit)
    print(f"  trained in {time.perf_counter() - start:.1f} s")
    _, accuracy = model.evaluate(x_test, y_test, verbose=0)
    print(f"  on 1,000 digits it has not seen: {accuracy:.1%} right")


def dense_part():
    section("2. Handwritten digits: two dense layers, Keras' fit (6,000 images of MNIST)")
    tf.keras.utils.set_random_seed(0)
    (x_train, y_train), (x_test, y_test) = digits()
    model = tf.keras.Sequential(
        [
            tf.keras.Input((784,)),
            tf.keras.layers.Dense(100, activation="relu"),
            tf.keras.layers.Dense(10),
        ]
    )
    train(model, x_train, y_train, x_test, y_test, epochs=3, verbose=2)


class CNN(tf.keras.Model):
    """The seeds' network: two convolutions with pooling, two dense layers."""

    def __init__(self):
        super().__init__()
        self.image = tf.keras.layers.Reshape((28, 28, 1))
        self.conv1 = tf.keras.layers.Conv2D(32, 5, padding="same", activation=tf.nn.relu)
        self.pool1 = tf.keras.layers.MaxPool2D(2, strides=2)
        self.conv2 = tf.keras.layers.Conv2D(64, 5, padding="same", activation=tf.nn.relu)
        self.pool2 = tf.keras.layers.MaxPool2D(2, strides=2)
        self.flatten = tf.keras.layers.Reshape((7 * 7 * 64,))
        self.dense1 = tf.keras.layers.Dense(1024, activation=tf.nn.relu)
        self.dense2 = tf.keras.layers.Dense(10)

    def call(self, inputs):
        x = self.pool1(self.conv1(self.image(inputs)))
        x = self.pool2(self.conv2(x))
        return self.dense2(self.dense1(self.flatten(x)))


def convolution_part():
    section("3. The same digits with a convolutional network")
    tf.keras.utils.set_random_seed(1)
    (x_train, y_train), (x_test, y_test) = digits()
    model = CNN()
    train(model, x_train, y_train, x_test, y_test, epochs=5)
    guesses = model.predict(x_test[:10], verbose=0).argmax(axis=1)
    print(f"  first ten: {guesses.tolist()}\n  truth:     {y_test[:10].tolist()}")
    draw(x_test[:10], guesses, "demo.png")
    print("  demo.png shows them. Next: docs/from_scratch.py explains how it works, docs/layout.md where things are.")


def draw(images, guesses, path):
    """Ten digits in a row, each with what the network takes it for."""
    picture = Image.new("L", (10 * 60, 84), 255)
    pen = ImageDraw.Draw(picture)
    for i, (image, guess) in enumerate(zip(images, guesses, strict=True)):
        digit = Image.fromarray((255 - 255 * image.reshape(28, 28)).astype("uint8")).resize((56, 56))
        picture.paste(digit, (60 * i + 2, 2))
        pen.text((60 * i + 26, 64), str(guess), fill=0)
    picture.save(path)


if __name__ == "__main__":
    print(f"TensorFlow {tf.__version__} from {tf.__name__}")
    regression_part()
    dense_part()
    convolution_part()
