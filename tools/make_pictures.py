"""`make pictures`: the guide's pictures, drawn from programs that are run here (docs/pictures/*.svg).

    python -m tools.make_pictures             # all of them, half a minute
    python -m tools.make_pictures training    # one

Each picture is a function of this module. What is measured differs from run to run, so the files are checked in and no
test compares them.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import reflow as tf
from reflow.api.framework.svg import FAINT, Canvas
from reflow.datasets import mnist_small

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
BLUE, ORANGE, GREEN = "#2f77c0", "#d98a2b", "#3f9c62"
PICTURES: dict[str, Callable[[], str]] = {}


def picture(function: Callable[[], str]) -> Callable[[], str]:
    """Registers a function that returns SVG under its name."""
    PICTURES[function.__name__] = function
    return function


class Curve(NamedTuple):
    """A line of a chart: its name, its values at 1, 2, 3…, its colour."""

    name: str
    values: Sequence[float]
    colour: str


def chart(
    canvas: Canvas, left: float, top: float, title: str, curves: Sequence[Curve], low: float, high: float
) -> None:
    """A chart with an axis for values from `low` to `high` and one for epochs.

    Names stand at the ends of the curves.
    """
    width, height = 280.0, 170.0
    canvas.text(left, top - 12, title, 13, "start", bold=True)
    for share in (0.0, 0.5, 1.0):
        y = top + height * (1 - share)
        canvas.line([(left, y), (left + width, y)], "#e4e7eb")
        canvas.text(left - 6, y + 4, f"{low + share * (high - low):g}", 10, "end", "#616e7c")
    for curve in curves:
        step = width / (len(curve.values) - 1)
        points = [
            (left + i * step, top + height * (high - value) / (high - low)) for i, value in enumerate(curve.values)
        ]
        canvas.line(points, curve.colour, 2)
        canvas.text(points[-1][0] + 6, points[-1][1] + 4, curve.name, 11, "start", curve.colour)
    canvas.text(left, top + height + 16, "epoch 1", 10, "start", "#616e7c")
    canvas.text(left + width, top + height + 16, f"epoch {len(curves[0].values)}", 10, "end", "#616e7c")


@picture
def training() -> str:
    """Loss and accuracy of a dense network on digits, epoch by epoch."""
    tf.keras.utils.set_random_seed(0)
    (x, y), test = mnist_small()
    layers = [
        tf.keras.layers.Flatten(), tf.keras.layers.Rescaling(1 / 255), tf.keras.layers.Dense(100, activation="relu")
    ]
    model = tf.keras.Sequential([*layers, tf.keras.layers.Dense(10)])
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    seen = model.fit(x, y, epochs=12, validation_data=test, verbose=0).history
    canvas = Canvas()
    chart(
        canvas, 40, 30, "loss",
        [Curve("training", seen["loss"], BLUE), Curve("unseen digits", seen["val_loss"], ORANGE)], 0, 0.8,
    )
    shares = [Curve("training", seen["accuracy"], BLUE), Curve("unseen digits", seen["val_accuracy"], ORANGE)]
    chart(canvas, 470, 30, "accuracy", shares, 0.8, 1)
    return canvas.svg()


@picture
def plan() -> str:
    """What `tf.draw` shows of a training step."""
    w, b = tf.Variable(tf.zeros([4, 2]), name="w"), tf.Variable(tf.zeros([2]), name="b")

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ w + b - y))
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(0.1 * dw)
        b.assign_sub(0.1 * db)
        tf.print("loss", loss, output_stream="file:///dev/null")
        return loss

    return tf.draw(step, tf.ones([8, 4]), tf.ones([8, 2])).svg


def decoded(number: tf.Tensor) -> tf.Tensor:
    """Stands for the work on one example: two milliseconds."""

    def work(n: np.ndarray) -> np.ndarray:
        time.sleep(0.002)
        return n

    return tf.numpy_function(work, [number], tf.int64)


class Span(NamedTuple):
    """Something that happened: in which row, from when to when, in seconds."""

    row: str
    start: float
    stop: float


def watched_pipeline(fast: bool) -> list[Span]:
    """An epoch of a training loop that waits for its input, and one whose input is prepared meanwhile."""
    data = tf.data.Dataset.range(48)
    data = (
        data.map(decoded, num_parallel_calls=tf.data.AUTOTUNE).batch(8).prefetch(2) if fast
        else data.map(decoded).batch(8)
    )
    spans, iterator = [], iter(data)
    begin = time.perf_counter()
    while True:
        start = time.perf_counter() - begin
        if next(iterator, None) is None:
            return spans
        read = time.perf_counter() - begin
        time.sleep(0.01)  # the training step
        spans += [Span("waiting for input", start, read), Span("training", read, time.perf_counter() - begin)]


def timeline(
    canvas: Canvas, top: float, title: str, spans: Sequence[Span], scale: float, colours: dict[str, str]
) -> float:
    """Rows of boxes along time, `scale` pixels a second; where the next one may begin."""
    canvas.text(0, top, title, 13, "start", bold=True)
    left, height = 150.0, 22.0
    for row, (name, colour) in enumerate(colours.items()):
        y = top + 12 + row * (height + 6)
        canvas.text(left - 8, y + 15, name, 11, "end", "#616e7c")
        for span in spans:
            if span.row == name:
                width = max(scale * (span.stop - span.start), 0.6)
                canvas.box(
                    left + scale * span.start, y, width, height, colour,
                    title=f"{1e3 * (span.stop - span.start):.2f} ms", round=1,
                )
    bottom = top + 12 + len(colours) * (height + 6)
    end = max(span.stop for span in spans)
    canvas.line([(left, bottom + 2), (left + scale * end, bottom + 2)], FAINT)
    canvas.text(left, bottom + 16, "0", 10, fill="#616e7c")
    canvas.text(left + scale * end, bottom + 16, f"{1e3 * end:.3g} ms", 10, fill="#616e7c")
    return bottom + 44


@picture
def pipeline() -> str:
    """The same loop without and with parallel calls and prefetching."""
    slow, fast = watched_pipeline(False), watched_pipeline(True)
    canvas, colours = Canvas(), {"waiting for input": ORANGE, "training": BLUE}
    scale = 560 / max(span.stop for span in slow)
    top = timeline(canvas, 14, "map, batch", slow, scale, colours)
    timeline(canvas, top, "map(num_parallel_calls=AUTOTUNE), batch, prefetch", fast, scale, colours)
    return canvas.svg()


@picture
def trace() -> str:
    """Two steps of training as `tf.profiler` writes them down."""
    tf.keras.utils.set_random_seed(0)
    (x, y), _ = mnist_small()
    images, labels = tf.constant(x[:256, ..., None] / np.float32(255)), tf.constant(y[:256])
    layers = [tf.keras.layers.Conv2D(16, 3, activation="relu"), tf.keras.layers.MaxPool2D(), tf.keras.layers.Flatten()]
    model = tf.keras.Sequential([*layers, tf.keras.layers.Dense(10)])
    loss, optimizer = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), tf.keras.optimizers.SGD(0.1)

    @tf.function
    def train_step(images, labels):
        with tf.GradientTape() as tape:
            value = loss(labels, model(images, training=True))
        optimizer.apply_gradients(zip(tape.gradient(value, model.trainable_variables), model.trainable_variables))
        return value

    for _ in range(5):
        train_step(images, labels)
    with tempfile.TemporaryDirectory() as logs:
        with tf.profiler.experimental.Profile(logs):
            for number in range(2):
                with tf.profiler.experimental.Trace("step", step_num=number):
                    train_step(images, labels).numpy()
        spans = profiled(Path(logs))
    canvas = Canvas()
    colours = dict(zip(
        dict.fromkeys(span.row for span in spans), (BLUE, GREEN, ORANGE, "#8c62b8", "#c0504d", "#52606d", "#7b8794")
    ))
    timeline(
        canvas, 14, "Two training steps, and the longest of their ops", spans, 560 / max(span.stop for span in spans),
        colours,
    )
    return canvas.svg()


def profiled(logs: Path, rows: int = 7) -> list[Span]:
    """The events of a profile with the names that take most of the time."""
    (file,) = logs.rglob("*.trace.json.gz")
    events = [e for e in json.loads(gzip.decompress(file.read_bytes()))["traceEvents"] if e.get("ph") == "X"]
    begin = min(e["ts"] for e in events if e["name"] == "step")
    events = [
        e for e in events if e["ts"] >= begin and not e["name"].startswith(("$", "Thread", "Pjit", "Parse", "np."))
    ]
    totals: dict[str, float] = {}
    for event in events:
        totals[event["name"]] = totals.get(event["name"], 0) + event["dur"]
    longest = sorted(totals, key=lambda name: (name != "step", -totals[name]))[:rows]
    return [
        Span(e["name"][:22], (e["ts"] - begin) / 1e6, (e["ts"] + e["dur"] - begin) / 1e6) for e in events
        if e["name"] in longest
    ]


def main(chosen: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in chosen or PICTURES:
        (FOLDER / f"{name}.svg").write_text(PICTURES[name]())
        print(FOLDER / f"{name}.svg")


if __name__ == "__main__":
    main(sys.argv[1:])
