"""How the time of a step grows: with the batch, the width of a model, the number of variables and of nodes.

    python bench/scaling.py --tf-python .bench-venv/bin/python [--only variables]

Each side measures a series in a process of its own, the sides one after the other. A point is the median of several
samples, and the time of the first call, which traces. Results are kept in `bench/scaling.json`; `report.py` draws them.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import report
from programs import ENVIRONMENT

HERE = Path(__file__).parent
RESULTS = report.SCALING
SIDES = ("tensorflow", "reflow")
SAMPLES, SAMPLE_SECONDS = 7, 0.05
ENOUGH = 60.0  # seconds for the first call of a point, after which a series goes no further

Step = Callable[[], Any]


class Series(NamedTuple):
    """Programs that differ in one number."""

    title: str
    numbers: tuple[int, ...]
    program: Callable[[Any, int], Step]


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def mlp(tf, batch: int, width: int) -> Step:
    """A training step of a network with two hidden layers."""
    sizes = (256, width, width, 10)
    weights = [tf.Variable(normal(a, b) * np.float32(a**-0.5)) for a, b in zip(sizes, sizes[1:])]
    x, labels = tf.constant(normal(batch, 256)), tf.constant(np.arange(batch) % 10)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            y = x
            for w in weights[:-1]:
                y = tf.nn.relu(y @ w)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, y @ weights[-1])
            loss = tf.reduce_mean(losses)
        for w, g in zip(weights, tape.gradient(loss, weights)):
            w.assign_sub(0.01 * g)
        return loss

    return step


def variables(tf, count: int) -> Step:
    """A step that updates many small variables."""
    kept = [tf.Variable(normal(64)) for _ in range(count)]

    @tf.function
    def step():
        for v in kept:
            v.assign(v * 0.5 + 1.0)
        return kept[-1].read_value()

    return step


def nodes(tf, count: int) -> Step:
    """A function of many nodes, each of which needs the one before."""
    x = tf.constant(normal(64))

    @tf.function
    def step(x):
        for i in range(count // 2):
            x = tf.tanh(x) * 1.5 if i % 2 else x + 0.5
        return x

    return lambda: step(x)


SERIES = {
    "batch": Series("batch size", (1, 4, 16, 64, 256, 1024), lambda tf, n: mlp(tf, n, 256)),
    "width": Series("width of the model", (16, 64, 256, 1024, 2048), lambda tf, n: mlp(tf, 64, n)),
    "variables": Series("number of variables", (10, 50, 100, 500, 1000, 5000), variables),
    "nodes": Series("number of nodes", (100, 1000, 10_000, 100_000), nodes),
}


def seconds(step: Step, calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        value = step()
    np.asarray(value)
    return (time.perf_counter() - start) / calls


def point(tf, series: Series, number: int) -> dict[str, float]:
    step = series.program(tf, number)
    first = seconds(step, 1)
    for _ in range(30):  # more than any counted switch from interpreted to compiled
        once = seconds(step, 1)
    calls = max(1, round(SAMPLE_SECONDS / once))
    seconds(step, calls)
    samples = [seconds(step, calls) for _ in range(SAMPLES)]
    return {"number": number, "us": statistics.median(samples) * 1e6, "first_us": first * 1e6}


def measure(side: str, name: str) -> None:
    """What a side's process does: one line of JSON for each point."""
    tf = __import__(side)
    for number in SERIES[name].numbers:
        found = point(tf, SERIES[name], number)
        print("POINT", json.dumps(found), flush=True)
        if found["first_us"] > ENOUGH * 1e6:
            break


def run(python: str, side: str, name: str) -> list[dict[str, float]]:
    command = [python, __file__, "--side", side, "--only", name]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | ENVIRONMENT)
    if done.returncode:
        sys.exit(f"{side}, {name}: {done.stderr[-2000:]}")
    return [json.loads(line.removeprefix("POINT ")) for line in done.stdout.splitlines() if line.startswith("POINT ")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tf-python")
    parser.add_argument("--only", default=",".join(SERIES))
    parser.add_argument("--side", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        measure(options.side, options.only)
        return
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    pythons = {"tensorflow": options.tf_python, "reflow": sys.executable}
    for name in options.only.split(","):
        title = SERIES[name].title
        kept[title] = {side: run(pythons[side], side, name) for side in SIDES}
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
        for side, points in kept[title].items():
            print(f"{title}, {side}: " + ", ".join(f"{p['number']}: {p['us']:.0f} µs" for p in points), flush=True)
    report.write_kept()


if __name__ == "__main__":
    main()
