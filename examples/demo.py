"""What `make demo` runs: a regression with a gradient tape, then a network trained by Keras' `fit`.

    python -m reflow examples/demo.py

Both parts are ordinary TensorFlow programs. The second reads 7,000 digits of MNIST that come with Reflow.
"""

import time

import regression
import tensorflow as tf

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


def keras_part():
    section("2. Handwritten digits with Keras' fit (6,000 images of MNIST)")
    tf.keras.utils.set_random_seed(0)
    (x_train, y_train), (x_test, y_test) = digits()
    model = tf.keras.Sequential([
        tf.keras.Input((784,)),
        tf.keras.layers.Dense(100, activation="relu"),
        tf.keras.layers.Dense(10),
    ])
    model.compile(
        optimizer=tf.keras.optimizers.Adam(0.002),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    start = time.perf_counter()
    model.fit(x_train, y_train, batch_size=50, epochs=5, validation_data=(x_test, y_test), verbose=2)
    print(f"  trained in {time.perf_counter() - start:.1f} s")
    loss, accuracy = model.evaluate(x_test, y_test, verbose=0)
    print(f"  on 1,000 digits it has not seen: {accuracy:.1%} right, loss {loss:.3f}")
    guesses = model.predict(x_test[:10], verbose=0).argmax(axis=1)
    print(f"  first ten: {guesses.tolist()}\n  truth:     {y_test[:10].tolist()}")


if __name__ == "__main__":
    print(f"TensorFlow {tf.__version__} from {tf.__name__}")
    regression_part()
    keras_part()
