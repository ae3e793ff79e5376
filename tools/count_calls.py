"""How many Python calls, in how many files of Reflow, a call of the user's crosses.

    python tools/count_calls.py            a line for each path
    python tools/count_calls.py --list     and under it the functions, in the order in which they are entered

Each path has run before it is counted, so that nothing is traced, compiled or imported any more. Calls of C functions
and of code outside Reflow are not counted. `docs/design.md` section 4 says what the paths of eager code promise.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

import numpy as np

os.environ.setdefault("KERAS_BACKEND", "tensorflow")


def crossed(step: Callable) -> list[tuple[str, str]]:
    """(file, function) of each Python function of Reflow that a call of `step` enters."""
    import reflow

    root = os.path.dirname(reflow.__file__) + os.sep
    found: list[tuple[str, str]] = []

    def seen(frame, event, _):
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(root):
            found.append((name.removeprefix(root), frame.f_code.co_qualname))

    sys.setprofile(seen)
    try:
        step()
    finally:
        sys.setprofile(None)
    return found


def eager_paths(tf) -> dict[str, Callable]:
    numbers = np.random.default_rng(0).standard_normal((10, 10)).astype(np.float32)
    a, b = tf.constant(numbers), tf.constant(numbers)
    variable, one = tf.Variable(numbers), tf.constant(1.0)

    def tape():
        with tf.GradientTape() as tape:
            tape.watch(one)
            y = tf.sin(one)
        return tape.gradient(y, one)

    return {
        "a + b": lambda: a + b,
        "tf.constant([1., 2.]) + 1": lambda: tf.constant([1.0, 2.0]) + 1,
        "a * 2.0": lambda: a * 2.0,
        "tf.matmul(a, b)": lambda: tf.matmul(a, b),
        "tf.tanh(a)": lambda: tf.tanh(a),
        "tf.nn.relu(a)": lambda: tf.nn.relu(a),
        "tf.reduce_sum(a)": lambda: tf.reduce_sum(a),
        "a[1:3]": lambda: a[1:3],
        "variable.read_value()": variable.read_value,
        "variable.assign_add(b)": lambda: variable.assign_add(b),
        "tape.gradient of tf.sin": tape,
    }


def function_paths(tf) -> dict[str, Callable]:
    numbers = np.random.default_rng(0).standard_normal((10, 10)).astype(np.float32)
    a, b = tf.constant(numbers), tf.constant(numbers)
    add = tf.function(lambda a, b: a + b, autograph=False)
    return {"function(a, b), warm": lambda: add(a, b)}


def data_paths(tf) -> dict[str, Callable]:
    elements = iter(tf.data.Dataset.range(1000).map(lambda x: x * 2))
    return {"next(iter(ds.map(f)))": lambda: next(elements)}


def keras_paths(tf) -> dict[str, Callable]:
    keras = tf.keras
    model = keras.Sequential([keras.layers.Dense(16, activation="relu"), keras.layers.Dense(4)])
    model.compile("adam", "mse")
    x, y = np.ones((8, 3), np.float32), np.ones((8, 4), np.float32)
    data = iter(tf.data.Dataset.from_tensors((x, y)).repeat())
    model.fit(x, y, verbose=0, epochs=3)
    step = model.make_train_function()
    return {"Keras' train step": lambda: model.train_function(data) if step is None else step(data)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="show the functions")
    options = parser.parse_args()
    import reflow as tf

    print(f"{'path':30} {'calls':>6} {'files':>6}")
    for make in (eager_paths, function_paths, data_paths, keras_paths):
        for name, step in make(tf).items():
            for _ in range(5):
                step()
            found = crossed(step)
            print(f"{name:30} {len(found):6} {len({file for file, _ in found}):6}")
            if options.list:
                for file, function in found:
                    print(f"    {file}: {function}")


if __name__ == "__main__":
    main()
