"""Rows of `make bench` for the inference engine: the same Keras models by TensorFlow (a `tf.function`), by ONNX
Runtime, and by our engine.

ONNX Runtime runs in Reflow's worker, on what `tf.onnx.export` writes, in which an LSTM is ONNX' own operator.
`make bench` installs it (`pip install -e '.[bench]'`); without it its rows are skipped. `python bench/engines.py`
prints the time and the memory that building an engine takes, and those of loading its plan.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
from programs import Step, normal, row

Model = tuple[Any, tuple[int, ...]]


def mobilenet(tf) -> Model:
    return tf.keras.applications.MobileNetV2(weights=None), (224, 224, 3)


def resnet(tf) -> Model:
    return tf.keras.applications.ResNet50(weights=None), (224, 224, 3)


def encoder(tf, length: int = 64, width: int = 256, heads: int = 4) -> Model:
    """Four layers of a Transformer's encoder."""
    layers = tf.keras.layers
    x = tokens = tf.keras.Input((length, width))
    for _ in range(4):
        x = layers.LayerNormalization()(x + layers.MultiHeadAttention(heads, width // heads)(x, x))
        x = layers.LayerNormalization()(x + layers.Dense(width)(layers.Dense(4 * width, activation="relu")(x)))
    return tf.keras.Model(tokens, x), (length, width)


def lstm(tf) -> Model:
    return tf.keras.Sequential([tf.keras.Input((100, 64)), tf.keras.layers.LSTM(128)]), (100, 64)


def tiny(tf) -> Model:
    """Six dense layers: what is timed is the way to the first product and back."""
    layers = [tf.keras.layers.Dense(64, activation="relu") for _ in range(6)]
    return tf.keras.Sequential([tf.keras.Input((64,)), *layers]), (64,)


@functools.cache
def keras_model(tf, model: Callable[[Any], Model]) -> Model:
    """The model, with equal weights in all workers. Rows share it: a worker keeps its steps until it ends."""
    tf.keras.utils.set_random_seed(1)
    return model(tf)


def batch_for(tf, model: Callable[[Any], Model], batch: int) -> np.ndarray:
    return normal(batch, *keras_model(tf, model)[1])


def specs(tf, x: np.ndarray) -> list[Any]:
    return [tf.TensorSpec(x.shape, tf.float32, "x")]


def by_function(tf, model: Callable[[Any], Model], batch: int) -> Step:
    keras, x = keras_model(tf, model)[0], batch_for(tf, model, batch)
    call = tf.function(lambda x: keras(x, training=False)).get_concrete_function(*specs(tf, x))
    tensor = tf.constant(x)
    return lambda: call(tensor)


def build_engine(tf, model: Callable[[Any], Model], batch: int):
    keras, trt = keras_model(tf, model)[0], tf.engine
    function = tf.function(lambda x: keras(x, training=False))
    return trt.build_from_function(
        function, specs=specs(tf, batch_for(tf, model, batch)), logger=trt.Logger(trt.Logger.ERROR)
    )


shared_engine = functools.cache(build_engine)


def by_engine(tf, model: Callable[[Any], Model], batch: int) -> Step:
    context, x = shared_engine(tf, model, batch).create_execution_context(), batch_for(tf, model, batch)
    return lambda: context(x)


def by_onnx(tf, model: Callable[[Any], Model], batch: int) -> Step:
    import onnxruntime

    keras, x = keras_model(tf, model)[0], batch_for(tf, model, batch)
    proto = tf.onnx.export(keras, specs=specs(tf, x))
    onnxruntime.set_default_logger_severity(3)
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda: session.run(None, {name: x})[0]


def served(tf, model: Callable[[Any], Model], batch: int) -> Step:
    """The engine in Reflow's worker, a function in TensorFlow's."""
    return (by_engine if hasattr(tf, "engine") else by_function)(tf, model, batch)


def register(name: str, model: Callable[[Any], Model], batch: int, onnx_target: float) -> None:
    ours, onnx = (functools.partial(step, model=model, batch=batch) for step in (served, by_onnx))
    row(f"{name}, batch {batch}", group="engine", target=0.8, warm_up=5)(ours)
    row(
        f"{name}, batch {batch}, ONNX Runtime",
        group="engine",
        target=onnx_target,
        warm_up=5,
        twin=onnx,
        needs="onnxruntime",
    )(ours)


for _name, _model in (
    ("MobileNetV2", mobilenet),
    ("ResNet-50", resnet),
    ("encoder of 4 layers", encoder),
    ("LSTM(128), 100 steps", lstm),
):
    for _batch in (1, 16):
        register(_name, _model, _batch, 0.8)
register("6 dense layers", tiny, 1, 1 / 1.5)


# --- building and loading


def build(tf) -> Step:
    """Build an engine for MobileNetV2; the number of its layers."""
    return lambda: build_engine(tf, mobilenet, 1).num_layers


@row("MobileNetV2: load a plan, or build it", group="engine", target=10, warm_up=1, twin=build)
def load(tf) -> Step:
    plan = shared_engine(tf, mobilenet, 1).serialize()
    runtime = tf.engine.Runtime(tf.engine.Logger(tf.engine.Logger.ERROR))
    return lambda: runtime.deserialize_cuda_engine(plan).num_layers


FRESH = """
import mmap, resource, sys, time
sys.path.insert(0, {here!r})
import jax
import numpy as np
from jax import export
import reflow
reflow.install_as_tensorflow()
import engines
what, path = {what!r}, {path!r}
# JAX's own start: its client, its reader of programs, LAPACK. It is the same for both.
square = export.export(jax.jit(lambda x: x @ x))(jax.ShapeDtypeStruct((4, 4), np.float32))
jax.block_until_ready(jax.jit(export.deserialize(bytearray(square.serialize())).call)(np.ones((4, 4), np.float32)))
if what == "build":
    engines.keras_model(reflow, engines.mobilenet)
memory, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
if what == "build":
    engine = engines.build_engine(reflow, engines.mobilenet, 1)
else:
    with open(path, "rb") as file:
        plan = file.read() if what == "read" else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    engine = reflow.engine.Runtime(reflow.engine.Logger(reflow.engine.Logger.ERROR)).deserialize_cuda_engine(plan)
    if what == "run":
        engine.create_execution_context()(np.zeros((1, 224, 224, 3), np.float32))
print(time.perf_counter() - started, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) / 1024)
if what == "build":
    with open(path, "wb") as file:
        file.write(engine.serialize())
"""


def fresh(rounds: int = 3) -> None:
    """Print what it takes to build an engine for MobileNetV2 and to load its plan, each in a process of its own after
    JAX has started: the least time of some rounds, and by how much the process grows at most. A plan is loaded from a
    file that is mapped, without and with a first call, and from one that is read into memory."""
    kinds = {"build": "building", "load": "loading", "run": "loading and a first call", "read": "reading and loading"}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plan")
        took = {what: [np.inf, np.inf] for what in kinds}
        for what in [*kinds] * rounds:
            program = FRESH.format(here=os.path.dirname(os.path.abspath(__file__)), what=what, path=path)
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
            took[what] = [min(pair) for pair in zip(took[what], map(float, done.stdout.split()[-2:]))]
        for what, (seconds, memory) in took.items():
            shares = [n / whole for n, whole in zip((seconds, memory), took["build"])]
            print(
                f"MobileNetV2, {kinds[what]}: {seconds:.2f} s, {memory:.0f} MB ({shares[0]:.3f} and "
                f"{shares[1]:.3f} of building)"
            )
        print(f"the plan has {os.path.getsize(path) / 1e6:.1f} MB")


if __name__ == "__main__":
    fresh()
