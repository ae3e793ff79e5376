"""The inference engine on a GPU beside `torch.compile`: ResNet-50 and an encoder of twelve layers, in FP32 (TF32), FP16 and INT8.

    python bench/engine_gpu.py [--models resnet,encoder] [--batches 1,16,128] [--sides engine,torch]

Inputs lie on the device; a time is the median of 30 calls, each waited for. Prints one line per model, batch and precision.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np

WIDTH, DEPTH, HEADS, LENGTH = 768, 12, 12, 128


def timed(call, x, wait) -> float:
    """Median milliseconds of `call(x)`."""
    for _ in range(5):
        wait(call(x))
    times = []
    for _ in range(30):
        start = time.perf_counter()
        wait(call(x))
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def report(model: str, batch: int, what: str, ms: float, build: float) -> None:
    print(f"{model:8} batch {batch:3}  {what:12} {ms:8.3f} ms   built in {build:6.1f} s", flush=True)


# --- the engine


def keras_model(tf, name: str):
    layers = tf.keras.layers
    tf.keras.utils.set_random_seed(1)
    if name == "resnet":
        return tf.keras.applications.ResNet50(weights=None), (224, 224, 3)
    x = tokens = tf.keras.Input((LENGTH, WIDTH))
    for _ in range(DEPTH):
        x = layers.LayerNormalization()(x + layers.MultiHeadAttention(HEADS, WIDTH // HEADS)(x, x))
        x = layers.LayerNormalization()(x + layers.Dense(WIDTH)(layers.Dense(4 * WIDTH, activation="gelu")(x)))
    return tf.keras.Model(tokens, x), (LENGTH, WIDTH)


def engines(names: list[str], batches: list[int]) -> None:
    import jax

    import reflow
    import reflow.engine as trt

    reflow.install_as_tensorflow()
    import tensorflow as tf

    class Noise(trt.IInt8MinMaxCalibrator):
        def __init__(self, shape):
            super().__init__()
            self.batches = [np.random.default_rng(i).normal(size=shape).astype("float32") for i in range(2)]

        def get_batch(self, names):
            return [self.batches.pop()] if self.batches else None

    for name in names:
        model, shape = keras_model(tf, name)
        for batch in batches:
            x = np.random.default_rng(0).normal(size=(batch, *shape)).astype("float32")
            spec = tf.TensorSpec(x.shape, tf.float32, name="x")
            function = tf.function(lambda x, model=model: model(x, training=False)).get_concrete_function(spec)
            for precision in ("FP32", "FP16", "INT8"):
                config = trt.IBuilderConfig()
                if precision != "FP32":
                    config.set_flag(trt.BuilderFlag[precision])
                if precision == "INT8":
                    config.set_flag(trt.BuilderFlag.FP16)
                    config.int8_calibrator = Noise(x.shape)
                start = time.perf_counter()
                engine = trt.build_from_function(function, config, logger=trt.Logger(trt.Logger.ERROR))
                build = time.perf_counter() - start
                on_device = jax.device_put(x)
                report(name, batch, f"engine {precision}", timed(engine.call, [on_device], jax.block_until_ready), build)


# --- PyTorch


def torch_model(name: str):
    from torch import nn

    if name == "encoder":
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, dropout=0.0, activation="gelu", batch_first=True)
        return nn.TransformerEncoder(layer, DEPTH, enable_nested_tensor=False), (LENGTH, WIDTH)

    def conv(a, b, k, s=1):
        return [nn.Conv2d(a, b, k, s, k // 2, bias=False), nn.BatchNorm2d(b)]

    class Block(nn.Module):
        def __init__(self, a, b, s):
            super().__init__()
            self.body = nn.Sequential(*conv(a, b, 1), nn.ReLU(), *conv(b, b, 3, s), nn.ReLU(), *conv(b, 4 * b, 1))
            self.skip = nn.Sequential(*conv(a, 4 * b, 1, s)) if s > 1 or a != 4 * b else nn.Identity()
            self.relu = nn.ReLU()

        def forward(self, x):
            return self.relu(self.body(x) + self.skip(x))

    parts, width = [*conv(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
    for filters, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(count):
            parts.append(Block(width, filters, stride if i == 0 else 1))
            width = 4 * filters
    return nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 1000)), (3, 224, 224)


def compiled(names: list[str], batches: list[int]) -> None:
    import torch

    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.benchmark = True
    wait = lambda _: torch.cuda.synchronize()
    for name in names:
        for batch in batches:
            for what, dtype in (("FP32", torch.float32), ("FP16", torch.float16)):
                torch._dynamo.reset()
                model, shape = torch_model(name)
                model = model.cuda().eval().to(dtype)
                x = torch.randn(batch, *shape, device="cuda", dtype=dtype)
                if name == "resnet":
                    model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
                fast = torch.compile(model)
                start = time.perf_counter()
                with torch.inference_mode():
                    wait(fast(x))
                    build = time.perf_counter() - start
                    report(name, batch, f"torch {what}", timed(fast, x, wait), build)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", default="resnet,encoder")
    parser.add_argument("--batches", default="1,16,128")
    parser.add_argument("--sides", default="engine,torch")
    arguments = parser.parse_args()
    names, batches = arguments.models.split(","), [int(n) for n in arguments.batches.split(",")]
    for side in arguments.sides.split(","):
        {"engine": engines, "torch": compiled}[side](names, batches)


if __name__ == "__main__":
    main()
