"""The attack by repetition: what programs do for days is done many times, and the process may not grow.

Memory is the resident memory of the process. The least growth of three stretches counts: what leaks does so in each of
them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tools.attack.children import ENVIRONMENT, ROOT

ALLOWED = 200  # bytes that one repetition may leave behind: noise of the allocators


def cycles() -> dict[str, tuple[Callable[[int], Any], float]]:
    """What is repeated, by name, and how often in proportion."""
    import reflow as tf

    x, y = np.ones([8, 3], np.float32), np.ones([8, 1], np.float32)
    model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    function = tf.function(lambda x: tf.tanh(x) * 2.0)

    def retrace(_: int) -> None:
        tf.function(lambda x: x * 2.0)(tf.ones([2]))

    def refused(number: int) -> None:
        try:
            tf.raw_ops.MatMul(a=tf.ones([2, 3]), b=tf.ones([2, 3]))
        except tf.errors.InvalidArgumentError:
            return
        raise AssertionError(f"repetition {number} was not refused")

    return {
        "predict": (lambda _: model.predict(x, verbose=0), 0.05),
        "predict_on_batch": (lambda _: model.predict_on_batch(x), 1.0),
        "train": (lambda _: model.train_on_batch(x, y), 1.0),
        "fit": (lambda _: model.fit(x, y, verbose=0), 0.05),
        "call": (lambda _: function(tf.ones([3])), 1.0),
        "retrace": (retrace, 0.2),
        "dataset": (lambda _: list(tf.data.Dataset.range(5).map(lambda n: n + 1).batch(2)), 0.05),
        "errors": (refused, 1.0),
    }


def attack(folder: Path, args: Any) -> int:
    """Repeat everything in one child process; how many grew."""
    command = [sys.executable, "-W", "ignore", "-m", "tools.attack.leaks", json.dumps({"count": args.count})]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, cwd=ROOT, env={**os.environ, **ENVIRONMENT})
    print(done.stdout, end="")
    return done.returncode


def main() -> int:
    from tests.memory.test_memory import growth

    count, grown = json.loads(sys.argv[1])["count"], 0
    for name, (body, share) in cycles().items():
        repeats = max(30, int(count * share))
        bytes_left = growth(body, max(10, repeats // 10), repeats)
        allowed = ALLOWED / share
        grown += bytes_left > allowed
        print(
            f"{name}: {repeats} times, {bytes_left:.0f} bytes each{' GROWS' if bytes_left > allowed else ''}",
            flush=True,
        )
    return grown


if __name__ == "__main__":
    sys.exit(main())
