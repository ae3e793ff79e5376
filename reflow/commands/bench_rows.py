"""The programs that `reflow bench` times. This file is a TensorFlow program: `bench.py` runs it on Reflow, and on
request on TensorFlow.

    python -m reflow reflow/commands/bench_rows.py TEXT SECONDS    # rows named like TEXT, SECONDS of samples for each

It prints one line of JSON per row: its name and the median time of a call in microseconds.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

Step = Callable[[], Any]
SAMPLES = 9
WARM_UP = 0.5  # seconds, in which functions are traced and compiled


def eager(tf: Any) -> Step:
    a = tf.random.normal([10, 10])
    return lambda: a + a


def gradient(tf: Any) -> Step:
    weights = tf.Variable(tf.random.normal([10, 10]))

    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(weights))
        return tape.gradient(loss, weights)

    return step


def call(tf: Any) -> Step:
    function, a = tf.function(lambda x: x * 2.0), tf.random.normal([10, 10])
    return lambda: function(a)


def product(tf: Any) -> Step:
    function, a = tf.function(lambda x: x @ x), tf.random.normal([1000, 1000])
    return lambda: function(a)


def training(tf: Any, layers: list[Any], shape: tuple[int, ...]) -> Step:
    """A step of gradient descent on made-up images."""
    model = tf.keras.Sequential([tf.keras.Input(shape), *layers])
    loss, optimizer = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), tf.keras.optimizers.SGD(0.01)
    images, labels = tf.random.normal([64, *shape]), tf.range(64) % 10

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            error = loss(labels, model(images, training=True))
        weights = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(error, weights), weights))
        return error

    return step


def dense(tf: Any) -> Step:
    layers = tf.keras.layers
    return training(tf, [layers.Dense(256, activation="relu"), layers.Dense(10)], (784,))


def convolutional(tf: Any) -> Step:
    layers = tf.keras.layers
    return training(
        tf, [layers.Conv2D(32, 3, activation="relu"), layers.MaxPool2D(), layers.Flatten(), layers.Dense(10)],
        (28, 28, 1),
    )


def pipeline(tf: Any) -> Step:
    data = tf.data.Dataset.range(10_000).map(lambda x: x * x).shuffle(1000).batch(100)
    return lambda: sum(1 for _ in data)


ROWS: dict[str, Callable[[Any], Step]] = {
    "eager a + a, 10x10": eager,
    "gradient of two eager ops": gradient,
    "call of a function": call,
    "product of 1000x1000 matrices": product,
    "training step, dense network, 64 images": dense,
    "training step, convolutions, 64 images": convolutional,
    "10,000 elements mapped, shuffled, batched": pipeline,
}


def finished(value: Any) -> None:
    """Wait for what a call has begun."""
    getattr(value, "numpy", lambda: None)()


def microseconds(step: Step, seconds: float) -> float:
    """The median time of a call."""
    start, calls = time.perf_counter(), 0
    while time.perf_counter() - start < WARM_UP or calls < 5:
        finished(step())
        calls += 1
    start = time.perf_counter()
    finished(step())
    each = max(1, int(seconds / SAMPLES / (time.perf_counter() - start)))
    samples = []
    for _ in range(SAMPLES):
        start = time.perf_counter()
        for _ in range(each):
            value = step()
        finished(value)
        samples.append((time.perf_counter() - start) / each)
    return 1e6 * statistics.median(samples)


def main(text: str, seconds: str) -> None:
    import tensorflow as tf

    for name, program in ROWS.items():
        if text in name:
            print(json.dumps([name, microseconds(program(tf), float(seconds))]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
