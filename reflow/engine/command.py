"""`reflow engine build|show|bench`: engines from the command line, like `trtexec`."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from typing import Any

import numpy as np

from reflow.engine.builder import Builder
from reflow.engine.config import IBuilderConfig, IOptimizationProfile
from reflow.engine.enums import BuilderFlag, MemoryPoolType
from reflow.engine.logger import Logger, Severity
from reflow.engine.onnx_parser import OnnxParser
from reflow.engine.plan import PlanError, mapped
from reflow.engine.runtime import ICudaEngine, Runtime


def main(arguments: list[str]) -> int:
    """Run one of the three; the exit status."""
    parser = argparse.ArgumentParser(prog="reflow engine", description="Build, show and measure inference engines.")
    parts = parser.add_subparsers(dest="what", required=True)
    build = parts.add_parser("build", help="build a plan from an ONNX model")
    build.add_argument("model", help="an .onnx file")
    build.add_argument("-o", "--output", help="the plan's file; by default the model's name with .plan")
    for flag in ("fp16", "bf16"):
        build.add_argument(f"--{flag}", action="store_true", help=f"let layers compute in {flag.upper()}")
    for shapes in ("shapes", "min-shapes", "max-shapes"):
        build.add_argument(f"--{shapes}", default="", help="x:1x3x224x224,y:1x10")
    build.add_argument("--workspace", type=int, default=0, help="megabytes that the program may use")
    build.add_argument("-v", "--verbose", action="store_true")
    for name, text in (("show", "list a plan's layers"), ("bench", "measure a plan")):
        part = parts.add_parser(name, help=text)
        part.add_argument("plan")
        if name == "show":
            part.add_argument("--times", action="store_true", help="the time of each layer by itself")
        else:
            part.add_argument("--calls", type=int, default=100)
    args = parser.parse_args(arguments)
    try:
        return {"build": _build, "show": _show, "bench": _bench}[args.what](args)
    except (OSError, PlanError, ValueError, ImportError) as error:
        print(f"reflow engine {args.what}: {error}", file=sys.stderr)
        return 1


def _build(args: argparse.Namespace) -> int:
    logger = Logger(Severity.VERBOSE if args.verbose else Severity.WARNING)
    builder = Builder(logger)
    network = builder.create_network()
    parser = OnnxParser(network, Logger(Severity.INTERNAL_ERROR))
    if not parser.parse_from_file(args.model):
        raise ValueError("\n".join(parser.get_error(i).desc() for i in range(parser.num_errors)))
    config = builder.create_builder_config()
    config.progress = _progress
    for flag in (BuilderFlag.FP16, BuilderFlag.BF16):
        if getattr(args, flag.name.lower()):
            config.set_flag(flag)
    if args.workspace:
        config.set_memory_pool_limit(MemoryPoolType.WORKSPACE, args.workspace << 20)
    _add_profile(config, args)
    plan = builder.build_serialized_network(network, config)
    path = args.output or f"{args.model.removesuffix('.onnx')}.plan"
    with open(path, "wb") as file:
        file.write(plan)
    print(f"{path}: {len(plan):,} bytes, {len(network)} layers of the model")
    return 0


def _progress(part: float, what: str) -> None:
    """A bar on a terminal, nothing elsewhere."""
    if sys.stderr.isatty():
        done = int(part * 30)
        print(
            f"\r[{'#' * done}{'.' * (30 - done)}] {what:<60}", end="\n" if part == 1.0 else "", file=sys.stderr,
            flush=True,
        )


def _shapes(text: str) -> dict[str, tuple[int, ...]]:
    """`x:1x3x8x8,y:1x10` as shapes by name."""
    found = {}
    for entry in filter(None, text.split(",")):
        name, colon, dims = entry.rpartition(":")
        if not colon or not all(n.isdigit() for n in dims.split("x")):
            raise ValueError(f"{entry!r} is no shape; write name:1x3x224x224")
        found[name] = tuple(int(n) for n in dims.split("x"))
    return found


def _add_profile(config: IBuilderConfig, args: argparse.Namespace) -> None:
    best = _shapes(args.shapes)
    low, high = _shapes(args.min_shapes), _shapes(args.max_shapes)
    if best:
        profile = IOptimizationProfile()
        for name, shape in best.items():
            profile.set_shape(name, low.get(name, shape), shape, high.get(name, shape))
        config.add_optimization_profile(profile)


def _engine(path: str) -> ICudaEngine:
    return Runtime(Logger()).deserialize_cuda_engine(mapped(path))


def _show(args: argparse.Namespace) -> int:
    print(_engine(args.plan).inspect(args.times))
    return 0


def _bench(args: argparse.Namespace) -> int:
    started = time.perf_counter()
    engine = _engine(args.plan)
    print(f"loaded in {time.perf_counter() - started:.3f} s (built in {engine.meta['build_seconds']:.3f} s)")
    context = engine.create_execution_context()
    rng = np.random.default_rng(0)
    inputs: dict[str, Any] = {}
    for name in engine.input_names:
        shape, dtype = engine.get_tensor_profile_shape(name, 0)[1], engine.get_tensor_dtype(name).dtype.as_numpy_dtype
        inputs[name] = rng.standard_normal(shape).astype(dtype)
    for _ in range(3):
        context.run(inputs)
    times = []
    for _ in range(max(args.calls, 1)):
        started = time.perf_counter()
        context.run(inputs)
        times.append(time.perf_counter() - started)
    times.sort()
    median, worst = statistics.median(times), times[int(len(times) * 0.99)]
    print(
        f"{len(times)} calls: median {median * 1e3:.3f} ms, 99% below {worst * 1e3:.3f} ms, {1 / median:.1f} per second"
    )
    return 0
