"""Training steps on a GPU: Keras on Reflow beside Keras on JAX, the same script on the same machine.

    python bench/gpu.py [--jobs gpt,resnet] [--epochs 4] [--profile FOLDER]

Each (job, side) runs in a process of its own. A row is the best epoch's time a step, the first epoch's time, the peak
of device memory, and the loss after the last step. Prints one line per run and a table with ratios at the end.
"""

from __future__ import annotations

import argparse
import compileall
import importlib.util
import json
import os
import subprocess
import sys
import time

JOBS = ("mlp", "lstm", "gpt", "resnet_bf16", "resnet_f32")
SIDES = ("jax", "reflow")


def keep_bytecode() -> None:
    """Compile the modules that the first epochs import, as an installation does: it takes 3 s in a process without."""
    for name in ("reflow", "keras", "malt", "gast", "optree"):
        found = importlib.util.find_spec(name)
        for folder in (found.submodule_search_locations or ()) if found else ():
            compileall.compile_dir(folder, quiet=2)


def load_keras(side: str):
    if side == "reflow":
        import reflow

        reflow.install_as_tensorflow()
        import tensorflow as tf

        return tf.keras
    os.environ["KERAS_BACKEND"] = "jax"
    import keras

    return keras


def mlp(keras, np):
    model = keras.Sequential(
        [keras.layers.Dense(512, "relu"), keras.layers.Dense(512, "relu"), keras.layers.Dense(10)]
    )
    rng = np.random.default_rng(0)
    return model, rng.normal(size=(128 * 200, 784)).astype("float32"), rng.integers(0, 10, 128 * 200), 128


def lstm(keras, np):
    model = keras.Sequential([keras.layers.LSTM(512), keras.layers.Dense(10)])
    rng = np.random.default_rng(0)
    return model, rng.normal(size=(128 * 20, 128, 64)).astype("float32"), rng.integers(0, 10, 128 * 20), 128


def gpt(keras, np, width=768, depth=12, heads=12, length=512, vocabulary=8192, batch=16, steps=20):
    layers = keras.layers
    tokens = keras.Input((length,), dtype="int32")
    x = layers.Embedding(vocabulary, width)(tokens) + layers.Embedding(length, width)(np.arange(length)[None])
    for _ in range(depth):
        y = layers.LayerNormalization()(x)
        x = x + layers.MultiHeadAttention(heads, width // heads)(y, y, use_causal_mask=True)
        y = layers.LayerNormalization()(x)
        x = x + layers.Dense(width)(layers.Dense(4 * width, activation="gelu")(y))
    logits = layers.Dense(vocabulary, dtype="float32")(layers.LayerNormalization()(x))
    rng = np.random.default_rng(0)
    data = rng.integers(0, vocabulary, (batch * steps, length + 1)).astype("int32")
    return keras.Model(tokens, logits), data[:, :-1].copy(), data[:, 1:].copy(), batch


def resnet(keras, np):
    model = keras.applications.ResNet50(weights=None, classes=1000, classifier_activation=None)
    rng = np.random.default_rng(0)
    return model, rng.normal(size=(64 * 20, 224, 224, 3)).astype("float32"), rng.integers(0, 1000, 64 * 20), 64


def measure(job: str, side: str, epochs: int, profile: str | None) -> dict:
    import numpy as np

    keras = load_keras(side)
    if job in ("gpt", "resnet_bf16"):
        keras.config.set_dtype_policy("mixed_bfloat16")
    keras.utils.set_random_seed(1)
    model, x, y, batch = {"mlp": mlp, "lstm": lstm, "gpt": gpt}.get(job, resnet)(keras, np)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(1e-4), loss)
    ends = []
    clock = keras.callbacks.LambdaCallback(on_epoch_end=lambda *_: ends.append(time.perf_counter()))
    start = time.perf_counter()
    history = model.fit(x, y.astype("int32"), batch_size=batch, epochs=epochs, verbose=0, callbacks=[clock])
    times = [b - a for a, b in zip([start, *ends], ends)]
    import jax

    peak = (jax.devices()[0].memory_stats() or {}).get("peak_bytes_in_use", 0)
    if profile:
        with jax.profiler.trace(f"{profile}/{job}-{side}"):
            model.fit(x[: 3 * batch], y[: 3 * batch].astype("int32"), batch_size=batch, epochs=1, verbose=0)
    return {
        "ms": round(min(times[1:]) / (len(x) // batch) * 1e3, 3),
        "first_s": round(times[0], 2),
        "peak_mb": round(peak / 2**20),
        "loss": round(history.history["loss"][-1], 4),
    }


def kernels(folder: str, top: int = 25):
    """What the GPU did in a profile, by kernel: total time and count."""
    import glob
    from collections import Counter

    import jax

    (path,) = glob.glob(f"{folder}/**/*.xplane.pb", recursive=True)
    total, count = Counter(), Counter()
    for plane in jax.profiler.ProfileData.from_file(path).planes:
        if "GPU" not in plane.name:
            continue
        for line in plane.lines:
            if not line.name.startswith("Stream"):
                continue
            for event in line.events:
                total[event.name] += event.duration_ns
                count[event.name] += 1
    print(f"{folder}: busy {sum(total.values()) / 3e6:.2f} ms a step, {sum(count.values()) / 3:.0f} kernels")
    for name, ns in total.most_common(top):
        print(f"   {ns / 3e6:8.3f} ms {count[name] / 3:7.1f}  {name[:110]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", default=",".join(JOBS))
    parser.add_argument("--sides", default=",".join(SIDES))
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--profile", help="a folder for profiles; the GPU's kernels are listed")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        job, side = options.one.split(":")
        print("RESULT", json.dumps(measure(job, side, options.epochs, options.profile)))
        if options.profile:
            kernels(f"{options.profile}/{job}-{side}")
        return
    keep_bytecode()
    table = {}
    for job in options.jobs.split(","):
        for side in options.sides.split(","):
            command = [sys.executable, __file__, "--one", f"{job}:{side}", "--epochs", str(options.epochs)]
            command += ["--profile", options.profile] if options.profile else []
            done = subprocess.run(command, capture_output=True, text=True)
            found = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
            print(job, side, found[0] if found else done.stderr[-2500:], flush=True)
            print("\n".join(line for line in done.stdout.splitlines() if not line.startswith("RESULT")), flush=True)
            if found:
                table[job, side] = json.loads(found[0].removeprefix("RESULT "))
    for job in options.jobs.split(","):
        if all((job, side) in table for side in SIDES):
            theirs, ours = table[job, "jax"], table[job, "reflow"]
            print(
                f"{job:14} jax {theirs['ms']:8.2f} ms  reflow {ours['ms']:8.2f} ms  ratio "
                f"{ours['ms'] / theirs['ms']:.3f}"
            )


if __name__ == "__main__":
    main()
