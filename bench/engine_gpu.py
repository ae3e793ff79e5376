"""The inference engine on a GPU beside `torch.compile`: ResNet-50 and an encoder of twelve layers, batches of 1, 16 and
128, in FP32, TF32, FP16 and INT8. Needs no Keras: networks are built by hand, through the engine's own interface.

    python bench/engine_gpu.py [--seconds 440] [--models resnet,encoder] [--batches 16,128,1] [--sides engine,torch]
                               [--precisions FP32,FP16] [--out FILE] [--small]

Two processes build at the same time, one the engines and one PyTorch's modules, until two thirds of `--seconds` have
passed. Then one after the other is timed, so that nothing else uses the GPU: inputs lie on the device. A row has two
times: of a call that is waited for (median of 30), and of a call in a row of 30 of which only the last is waited for:
what the GPU needs, where the host keeps up. INT8 is forced, and BEST lets the builder take the faster of INT8 and FP16.
Last come the parts of single layers in FP16 and INT8 (`explain`), which say where INT8 loses what its products gain.
Every line is printed when it is known, and written to `--out`; a row that fails says why, and one that was not built in
time is missing from the table at the end. `--small` tries it all with tiny networks, on any machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

ENGINE, TORCH = "engine", "torch"
PRECISIONS = {ENGINE: ("FP32", "FP16", "INT8", "TF32", "BEST"), TORCH: ("FP32", "FP16", "TF32")}
Row = tuple[str, int, str]  # model, batch, precision
Times = tuple[float, float]  # milliseconds of a call that is waited for, and of one among many


class Call:
    """What was built: `send` starts a run and returns its result, `wait` ends when the run has."""

    def __init__(self, send: Callable[[], Any], wait: Callable[[Any], Any]) -> None:
        self.send, self.wait = send, wait

    def __call__(self) -> None:
        self.wait(self.send())


class Sizes:
    """How large the networks are."""

    def __init__(self, small: bool) -> None:
        self.small = small
        self.width, self.depth, self.heads, self.length = (32, 2, 2, 8) if small else (768, 12, 12, 128)
        self.side, self.filters = (32, 8) if small else (224, 64)
        self.blocks = ((1, 1), (1, 2)) if small else ((3, 1), (4, 2), (6, 2), (3, 2))


def numbers(*shape: int) -> np.ndarray:
    """Weights of a layer: their sums have about the size of its inputs."""
    depth = int(np.prod(shape[1:])) if len(shape) > 1 else 1
    return (np.random.default_rng(sum(shape)).standard_normal(shape) / np.sqrt(depth)).astype(np.float32)


# --- the engine


def resnet(trt: Any, network: Any, batch: int, sizes: Sizes) -> Any:
    def conv(x: Any, maps: int, window: int, stride: int = 1, relu: bool = True) -> Any:
        """A convolution, its batch normalisation (a scale and a shift for each channel), an activation."""
        layer = network.add_convolution_nd(x, maps, (window, window), numbers(maps, x.shape[1], window, window))
        layer.stride_nd, layer.padding_nd = (stride, stride), (window // 2, window // 2)
        layer = network.add_scale(
            layer.get_output(0), trt.ScaleMode.CHANNEL, np.zeros(maps, np.float32), np.ones(maps, np.float32)
        )
        return active(layer.get_output(0)) if relu else layer.get_output(0)

    def active(x: Any) -> Any:
        return network.add_activation(x, trt.ActivationType.RELU).get_output(0)

    x = network.add_input("x", trt.float32, (batch, 3, sizes.side, sizes.side))
    x = conv(x, sizes.filters, 7, 2)
    pool = network.add_pooling_nd(x, trt.PoolingType.MAX, (3, 3))
    pool.stride_nd, pool.padding_nd = (2, 2), (1, 1)
    x, filters = pool.get_output(0), sizes.filters
    for count, stride in sizes.blocks:
        for i in range(count):
            step = stride if i == 0 else 1
            skip = conv(x, 4 * filters, 1, step, relu=False) if i == 0 else x
            body = conv(conv(conv(x, filters, 1), filters, 3, step), 4 * filters, 1, relu=False)
            x = active(network.add_elementwise(body, skip, trt.ElementWiseOperation.SUM).get_output(0))
        filters *= 2
    mean = network.add_reduce(x, trt.ReduceOperation.AVG, 0b1100, False).get_output(0)
    return network.add_fully_connected(
        mean, 1000, numbers(1000, mean.shape[1]), np.zeros(1000, np.float32)
    ).get_output(0)


def encoder(trt: Any, network: Any, batch: int, sizes: Sizes) -> Any:
    width, heads, length, none = sizes.width, sizes.heads, sizes.length, trt.MatrixOperation.NONE

    def dense(x: Any, n: int) -> Any:
        return network.add_fully_connected(x, n, numbers(n, x.shape[1]), np.zeros(n, np.float32)).get_output(0)

    def known(*shape: int, value: float = 1.0) -> Any:
        return network.add_constant(shape, np.full(shape, value, np.float32)).get_output(0)

    def normal(x: Any) -> Any:
        return network.add_normalization(x, known(1, width), known(1, width, value=0.0), 0b10).get_output(0)

    def plus(x: Any, y: Any) -> Any:
        return network.add_elementwise(x, y, trt.ElementWiseOperation.SUM).get_output(0)

    def by_heads(x: Any) -> Any:
        layer = network.add_shuffle(dense(x, width))
        layer.reshape_dims, layer.second_transpose = (batch, length, heads, width // heads), (0, 2, 1, 3)
        return layer.get_output(0)

    def attention(x: Any) -> Any:
        q, k, v = (by_heads(x) for _ in range(3))
        scores = network.add_matrix_multiply(q, none, k, trt.MatrixOperation.TRANSPOSE).get_output(0)
        scale = known(1, 1, 1, 1, value=(width // heads) ** -0.5)
        soft = network.add_softmax(network.add_elementwise(scores, scale, trt.ElementWiseOperation.PROD).get_output(0))
        soft.axes = 1 << 3
        seen = network.add_shuffle(network.add_matrix_multiply(soft.get_output(0), none, v, none).get_output(0))
        seen.first_transpose, seen.reshape_dims = (0, 2, 1, 3), (batch * length, width)
        return dense(seen.get_output(0), width)

    tokens = network.add_input("x", trt.float32, (batch, length, width))
    flat = network.add_shuffle(tokens)
    flat.reshape_dims = (batch * length, width)
    x = flat.get_output(0)
    for _ in range(sizes.depth):
        x = normal(plus(x, attention(x)))
        hidden = network.add_activation(dense(x, 4 * width), trt.ActivationType.GELU_ERF).get_output(0)
        x = normal(plus(x, dense(hidden, width)))
    out = network.add_shuffle(x)
    out.reshape_dims = (batch, length, width)
    return out.get_output(0)


def built_engine(model: str, batch: int, precision: str, sizes: Sizes) -> Call:
    import jax

    import reflow.engine as trt

    class Noise(trt.IInt8MinMaxCalibrator):
        """Two batches of random numbers."""

        def __init__(self, shape: tuple[int, ...]) -> None:
            super().__init__()
            self.batches = [np.random.default_rng(i).standard_normal(shape).astype(np.float32) for i in range(2)]

        def get_batch(self, names: list[str]) -> list[np.ndarray] | None:
            return [self.batches.pop()] if self.batches else None

    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    network, config = builder.create_network(), builder.create_builder_config()
    network.mark_output({"resnet": resnet, "encoder": encoder}[model](trt, network, batch, sizes))
    shape = tuple(network.get_input(0).shape)
    if precision != "TF32":
        config.clear_flag(trt.BuilderFlag.TF32)
    if precision in ("FP16", "INT8", "BEST"):
        config.set_flag(trt.BuilderFlag.FP16)
    if precision in ("INT8", "BEST"):
        config.set_flag(trt.BuilderFlag.INT8)
        config.int8_calibrator = Noise(shape)
    if precision == "INT8":  # in any case; BEST leaves the choice between it and FP16 to the builder's measurement
        config.set_flag(trt.BuilderFlag.OBEY_PRECISION_CONSTRAINTS)
    engine = builder.build_engine(network, config)
    print(f"# engine {(model, batch, precision)}: {kernels_of(engine)} {engine.meta['report']['tactics']}", flush=True)
    x = jax.device_put(np.random.default_rng(9).standard_normal(shape).astype(np.float32))
    return Call(lambda: engine.call([x]), jax.block_until_ready)


def kernels_of(engine: Any) -> str:
    """How many operations the compiled program has: with one image each is a kernel that runs for some microseconds."""
    texts = [call.as_text() for call in engine._programs.values() if hasattr(call, "as_text")]
    lines = [line for text in texts for line in text[text.find("ENTRY") :].splitlines()]
    return ", ".join(
        f"{sum(f' {kind}(' in line for line in lines)} {kind}"
        for kind in ("fusion", "custom-call", "dot", "convolution")
    )


# --- where INT8 loses what its products gain


def explain(sizes: Sizes) -> None:
    """Print the times of a layer's parts, in FP16 and in INT8 as `reflow/engine/precision.py` computes it, and in ways
    that it might: with the weights transposed, which integer kernels of cuBLAS ask for, and by a convolution of
    integers instead of a product of patches."""
    shapes = [(2, 8, 4, 4)] if sizes.small else [(16, 56, 64, 64), (128, 28, 128, 128), (128, 14, 256, 256)]
    products = (
        [(32, 16, 32)] if sizes.small else [(b * sizes.length, sizes.width, 4 * sizes.width) for b in (1, 16, 128)]
    )
    for rows, depth, columns in products:
        layer(f"product [{rows}, {depth}] by [{depth}, {columns}]", product_parts(rows, depth, columns))
    for batch, side, channels, filters in shapes:
        layer(
            f"3x3 convolution [{batch}, {side}, {side}, {channels}] to {filters}",
            convolution_parts(batch, side, channels, filters),
        )


Part = tuple[Callable[..., Any], tuple[Any, ...]]  # a function, and its arrays


def layer(name: str, parts: dict[str, Part]) -> None:
    for part, (function, arrays) in parts.items():
        try:
            print(f"PART {name} | {part} | {chained(function, arrays):.4f} ms", flush=True)
        except Exception as error:  # noqa: BLE001 - a device may have no kernel for it, and that is an answer
            print(f"PART {name} | {part} | {type(error).__name__}: {str(error).splitlines()[0][:120]}", flush=True)


def chained(function: Callable[..., Any], arrays: tuple[Any, ...], many: int = 20) -> float:
    """Milliseconds of a call among many of which only the last is waited for: the least of five rounds."""
    import jax

    call, found = jax.jit(function), []
    jax.block_until_ready(call(*arrays))
    for _ in range(5):
        started = time.perf_counter()
        jax.block_until_ready([call(*arrays) for _ in range(many)][-1])
        found.append((time.perf_counter() - started) / many)
    return min(found) * 1e3


def quantised(x: Any) -> Any:
    import jax.numpy as jnp

    return jnp.clip(jnp.round(x.astype(jnp.float32) * 30.0), -127.0, 127.0).astype(jnp.int8)


def scaled(sums: Any) -> Any:
    import jax.numpy as jnp

    return (sums.astype(jnp.float32) * 1e-3).astype(jnp.float16)


def product_parts(rows: int, depth: int, columns: int) -> dict[str, Part]:
    import jax
    import jax.numpy as jnp

    x, w = (jax.device_put(numbers(*shape).astype(np.float16)) for shape in ((rows, depth), (depth, columns)))
    x8, w8, sums = quantised(x), quantised(w), jnp.ones((rows, columns), jnp.int32)
    integers = lambda x, w, axis=0: jax.lax.dot_general(  # noqa: E731
        x, w, (((1,), (axis,)), ((), ())), preferred_element_type=jnp.int32
    )
    return {
        "FP16: the product": (lambda x, w: x @ w, (x, w)),
        "INT8: all of it": (lambda x, w: scaled(integers(quantised(x), w)), (x, w8)),
        "INT8: to integers": (quantised, (x,)),
        "INT8: the product": (integers, (x8, w8)),
        "INT8: the product, weights transposed": (lambda x, w: integers(x, w, 1), (x8, jnp.asarray(w8.T))),
        "INT8: the product, and its sums to FP16": (lambda x, w: scaled(integers(x, w)), (x8, w8)),
        "INT8: sums to FP16": (scaled, (sums,)),
    }


def convolution_parts(batch: int, side: int, channels: int, filters: int) -> dict[str, Part]:
    import jax
    import jax.numpy as jnp

    x, w = (
        jax.device_put(numbers(*shape).astype(np.float16))
        for shape in ((batch, side, side, channels), (3, 3, channels, filters))
    )
    x8, w8 = quantised(x), quantised(w)
    sums = jnp.ones((batch, side, side, filters), jnp.int32)

    def conv(x: Any, w: Any, kind: Any) -> Any:
        order = ("NHWC", "HWIO", "NHWC")
        return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=order, preferred_element_type=kind)

    def patches(x: Any) -> Any:
        padded = jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        return jnp.concatenate([padded[:, i : i + side, j : j + side] for i in range(3) for j in range(3)], -1)

    def by_patches(x: Any, w: Any) -> Any:
        return jax.lax.dot_general(
            patches(x), w.reshape(-1, filters), (((3,), (0,)), ((), ())), preferred_element_type=jnp.int32
        )

    return {
        "FP16: the convolution": (lambda x, w: conv(x, w, jnp.float16), (x, w)),
        "INT8: all of it": (lambda x, w: scaled(by_patches(quantised(x), w)), (x, w8)),
        "INT8: to integers": (quantised, (x,)),
        "INT8: patches": (patches, (x8,)),
        "INT8: patches and product": (by_patches, (x8, w8)),
        "INT8: sums to FP16": (scaled, (sums,)),
        "INT8: a convolution of integers": (lambda x, w: conv(x, w, jnp.int32), (x8, w8)),
        "INT8: a convolution of integers in FP16": (
            lambda *both: conv(*(a.astype(jnp.float16) for a in both), jnp.float32), (x8, w8)
        ),
    }


# --- PyTorch


def torch_model(name: str, sizes: Sizes) -> tuple[Any, tuple[int, ...]]:
    from torch import nn

    if name == "encoder":
        layer = nn.TransformerEncoderLayer(
            sizes.width, sizes.heads, 4 * sizes.width, dropout=0.0, activation="gelu", batch_first=True
        )
        return nn.TransformerEncoder(layer, sizes.depth, enable_nested_tensor=False), (sizes.length, sizes.width)

    def conv(a: int, b: int, k: int, s: int = 1) -> list[Any]:
        return [nn.Conv2d(a, b, k, s, k // 2, bias=False), nn.BatchNorm2d(b)]

    class Block(nn.Module):
        def __init__(self, a: int, b: int, s: int, first: bool) -> None:
            super().__init__()
            self.body = nn.Sequential(*conv(a, b, 1), nn.ReLU(), *conv(b, b, 3, s), nn.ReLU(), *conv(b, 4 * b, 1))
            self.skip = nn.Sequential(*conv(a, 4 * b, 1, s)) if first else nn.Identity()
            self.relu = nn.ReLU()

        def forward(self, x: Any) -> Any:
            return self.relu(self.body(x) + self.skip(x))

    filters = width = sizes.filters
    parts = [*conv(3, width, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    for count, stride in sizes.blocks:
        for i in range(count):
            parts.append(Block(width, filters, stride if i == 0 else 1, i == 0))
            width = 4 * filters
        filters *= 2
    return (
        nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 1000)),
        (3, sizes.side, sizes.side),
    )


def built_torch(model: str, batch: int, precision: str, sizes: Sizes) -> Call:
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = torch.float16 if precision == "FP16" else torch.float32
    torch._dynamo.config.cache_size_limit = 64
    module, shape = torch_model(model, sizes)
    module = module.to(device).eval().to(dtype)
    x = torch.randn(batch, *shape, device=device, dtype=dtype)
    if model == "resnet":
        module, x = module.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    fast = torch.compile(module)

    def send() -> Any:
        # whether products may round to TF32 is a setting of the process, so every call says it
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "TF32"
        with torch.inference_mode():
            return fast(x)

    call = Call(send, lambda _: torch.cuda.synchronize() if device == "cuda" else None)
    call()
    return call


# --- one side, in a process of its own


def rows_of(side: str, options: argparse.Namespace) -> Iterator[Row]:
    """The rows in the order in which they are built: what the table needs most comes first."""
    for precision in (p for p in PRECISIONS[side] if p in options.precisions.split(",")):
        for batch in options.batches.split(","):
            for model in options.models.split(","):
                yield model, int(batch), precision


def run_side(side: str, options: argparse.Namespace) -> None:
    """Build until the time is over, say so, wait for a line, then time what was built."""
    end, sizes = time.monotonic() + options.seconds * 2 / 3, Sizes(options.small)
    build, calls = {ENGINE: built_engine, TORCH: built_torch}[side], dict[Row, Call]()
    for row in rows_of(side, options):
        if time.monotonic() > end:
            print(f"# {side} {row}: no time left to build", flush=True)
            continue
        started = time.monotonic()
        try:
            calls[row] = build(*row, sizes)
            print(f"# {side} {row}: built in {time.monotonic() - started:.1f} s", flush=True)
        except Exception as error:  # noqa: BLE001 - the other rows go on
            print(f"# {side} {row}: {type(error).__name__}: {str(error)[:300]}", flush=True)
    print("READY", flush=True)
    sys.stdin.readline()
    for row, call in calls.items():
        try:
            print("ROW", side, *row, *(f"{t:.4f}" for t in milliseconds(call)), flush=True)
        except Exception as error:  # noqa: BLE001
            print(f"# {side} {row}: {type(error).__name__}: {str(error)[:300]}", flush=True)
    if side == ENGINE:
        explain(sizes)
    print("DONE", flush=True)
    os._exit(0)  # PyTorch's compilers take seconds to end


def milliseconds(call: Call) -> Times:
    """The median of 30 calls, or of as many as 3 seconds hold; then the time of one of as many calls in a row."""
    for _ in range(3):
        call()
    times, end = [], time.monotonic() + 3
    while len(times) < 30 and (time.monotonic() < end or len(times) < 3):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    started = time.perf_counter()
    call.wait([call.send() for _ in times][-1])
    return statistics.median(times) * 1e3, (time.perf_counter() - started) / len(times) * 1e3


# --- both sides


class Side:
    """A process that builds and times one side; its lines are printed as they come."""

    def __init__(self, side: str, say: Callable[[str], None]) -> None:
        self.say = say
        environment = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}  # both share the GPU's memory
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--side", side, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, env=environment,
        )  # fmt: skip
        self.side, self.found = side, dict[Row, Times]()
        self.ready, self.done = threading.Event(), threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            words = line.split()
            if words[:1] == ["ROW"]:
                waited, sent = map(float, words[5:])
                self.found[words[2], int(words[3]), words[4]] = waited, sent
                self.say(
                    f"{self.side:7} {words[2]:8} batch {words[3]:>3}  {words[4]}  {waited:9.3f} "
                    f"ms, in a row {sent:9.3f} ms"
                )
            elif words[:1] == ["READY"]:
                self.ready.set()
            elif words[:1] == ["DONE"]:
                break
            else:
                self.say(line.rstrip())
        self.ready.set()
        self.done.set()

    def time_rows(self, seconds: float) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write("go\n")
            self.process.stdin.flush()
        except OSError:
            self.say(f"# {self.side}: its process has ended")
        self.done.wait(seconds)


def table(sides: list[Side]) -> str:
    """A row for each model and batch, a column for each side and precision.

    Milliseconds of a call that is waited for, and of one in a row.
    """
    columns = [
        (side, precision) for side in sides for precision in PRECISIONS[side.side]
        if any(p == precision for _, _, p in side.found)
    ]
    lines = ["| model, batch | " + " | ".join(f"{side.side} {precision}" for side, precision in columns) + " |"]
    lines.append("|---|" + "---:|" * len(columns))
    for model, batch in sorted({(m, b) for side in sides for m, b, _ in side.found}):
        times = [side.found.get((model, batch, precision)) for side, precision in columns]
        lines.append(
            f"| {model}, {batch} | " + " | ".join("–" if t is None else f"{t[0]:.2f}, {t[1]:.2f}" for t in times) + " |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="resnet,encoder")
    parser.add_argument("--batches", default="16,128,1")
    parser.add_argument("--precisions", default="FP32,FP16,INT8,TF32,BEST")
    parser.add_argument("--sides", default="engine,torch")
    parser.add_argument("--seconds", type=float, default=440)
    parser.add_argument("--out", default=os.devnull)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        return run_side(options.side, options)
    started = time.monotonic()
    left = lambda share: max(started + options.seconds * share - time.monotonic(), 1)
    file = open(options.out, "a")

    def say(line: str) -> None:
        for to in (sys.stdout, file):
            print(line, file=to, flush=True)

    sides = [Side(side, say) for side in options.sides.split(",")]
    for side in sides:
        side.ready.wait(left(0.85))  # a build that is under way when the time is over may end
    for side in sides:
        side.time_rows(left(1))
    say(f"\n{table(sides)}\n\nmilliseconds a call; {time.monotonic() - started:.0f} s in all")
    for side in sides:
        side.process.kill()
    return None


if __name__ == "__main__":
    main()
