"""`Builder`: from a network to an engine.

The build, in order: the network's graph, passes (`rewrite.py`), precision (`precision.py`), export and compilation for
each profile's `opt` shapes (`program.py`), and a timed call if there is a timing cache. The result is a plan;
`build_engine` reads it back at once, so every engine has gone through a plan.
"""

from __future__ import annotations

import contextlib
import json
import platform
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

import reflow as tf
from reflow import native
from reflow.core.version import REFLOW
from reflow.engine import plan, program, small
from reflow.engine.calibration import calibrated
from reflow.engine.config import IBuilderConfig, IOptimizationProfile
from reflow.engine.enums import BuilderFlag, MemoryPoolType
from reflow.engine.logger import ILogger, Severity
from reflow.engine.network import INetworkDefinition, scope_name
from reflow.engine.precision import HalfPrecision, Int8, largest_numbers
from reflow.engine.rewrite import STANDARD, Rewriter, optimised, weights_of
from reflow.engine.tactics import Tactics, seconds_of
from reflow.graph.export import Exporter
from reflow.graph.func_graph import FuncGraph

#: flags of TensorRT that mean nothing here; a builder that is given one says so
WITHOUT_EFFECT = (
    BuilderFlag.DEBUG, BuilderFlag.GPU_FALLBACK, BuilderFlag.REFIT, BuilderFlag.PREFER_PRECISION_CONSTRAINTS,
)  # fmt: skip


class Builder:
    """Makes networks, configurations and engines.

    >>> builder = tf.engine.Builder(tf.engine.Logger())
    >>> network = builder.create_network()
    >>> x = network.add_input("x", tf.engine.DataType.FLOAT, (2, 2))
    >>> layer = network.add_activation(x, tf.engine.ActivationType.RELU)
    >>> network.mark_output(layer.get_output(0))
    >>> engine = builder.build_engine(network, builder.create_builder_config())
    >>> engine.create_execution_context().run({"x": [[-1.0, 1.0], [2.0, -2.0]]})[layer.get_output(0).name].tolist()
    [[0.0, 1.0], [2.0, 0.0]]
    """

    def __init__(self, logger: ILogger) -> None:
        self.logger = logger
        self.max_threads = 1  # XLA has its own threads

    @property
    def platform_has_fast_fp16(self) -> bool:
        return jax.default_backend() != "cpu"

    platform_has_tf32 = platform_has_fast_fp16

    @property
    def platform_has_fast_int8(self) -> bool:
        return jax.default_backend() != "cpu" or native.multiplies_integers()

    def create_network(self, flags: int = 0) -> INetworkDefinition:
        """A new network. All networks have an explicit batch, whatever the flags say about it."""
        return INetworkDefinition()

    def create_builder_config(self) -> IBuilderConfig:
        return IBuilderConfig()

    def create_optimization_profile(self) -> IOptimizationProfile:
        return IOptimizationProfile()

    def is_network_supported(self, network: INetworkDefinition, config: IBuilderConfig) -> bool:
        """Whether the network can be built as one program."""
        return program.whole_function(network.graph()) is not None

    def build_serialized_network(self, network: INetworkDefinition, config: IBuilderConfig) -> bytes:
        """The plan of an engine.

        Raises:
          ValueError: a profile is missing or does not fit, the calibrator has no data, or the workspace is too small.
        """
        names = {
            scope_name(layer.name): layer.required_precision for layer in network.layers
            if layer.required_precision is not None
        }
        ranges = {scope_name(t.name): max(map(abs, t.dynamic_range)) for t in network.inputs if t.dynamic_range}
        inputs, outputs = ([t.name for t in some] for some in (network.inputs, network.outputs))
        return Build(self.logger, config, network.graph(), outputs, names, ranges, inputs).plan()

    def build_engine(self, network: INetworkDefinition, config: IBuilderConfig) -> Any:
        """An engine."""
        from reflow.engine.runtime import Runtime

        return Runtime(self.logger).deserialize_cuda_engine(self.build_serialized_network(network, config))

    build_engine_with_config = build_engine


class Build:
    """One build of a function graph, whose arguments are the engine's inputs."""

    def __init__(
        self, logger: ILogger, config: IBuilderConfig, graph: FuncGraph, outputs: list[str],
        wanted: dict[str, Any] | None = None, ranges: dict[str, float] | None = None, inputs: list[str] | None = None,
    ) -> None:
        self.logger, self.config, self.graph = logger, config, graph
        self.inputs = inputs or [t.op.name for t in graph.arguments]
        self.output_names = outputs
        self.wanted, self.ranges = wanted or {}, ranges or {}
        self.counts: Counter[str] = Counter()
        self.kept: dict[str, str] = {}
        self.int8_layers: list[str] = []
        self.tactics: list[dict[str, float]] = []
        self.profiles = self._profiles()

    def _say(self, severity: Severity, text: str, part: float | None = None) -> None:
        self.logger.log(severity, text)
        if part is not None and self.config.progress is not None:
            self.config.progress(part, text)

    # --- shapes

    def _profiles(self) -> list[dict[str, list[tuple[int, ...]]]]:
        """For each profile: name -> [min, opt, max]. An input without open lengths needs none."""
        found = []
        for number, profile in enumerate(self.config.profiles or [IOptimizationProfile()]):
            shapes = {}
            for name, tensor in zip(self.inputs, self.graph.arguments):
                given, dims = profile.get_shape(name), tensor._dims
                if not given:
                    if dims is None or None in dims:  # open lengths
                        raise ValueError(
                            f"The input {name!r} has the shape {tensor.shape}: profile {number} "
                            "must say min, opt and max."
                        )
                    given = [tuple(n or 0 for n in dims)] * 3
                if (
                    dims is not None
                    and any(len(s) != len(dims) or any(d not in (None, n) for d, n in zip(dims, s)) for s in given)
                ):
                    raise ValueError(
                        f"Profile {number} gives the input {name!r} the shapes {given}; its own is {tensor.shape}."
                    )
                shapes[name] = given
            unknown = set(profile.inputs) - set(self.inputs)
            if unknown:
                raise ValueError(
                    f"Profile {number} names inputs that the network has not: {', '.join(sorted(unknown))}."
                )
            found.append(shapes)
        return found

    def _shapes(self, number: int) -> list[tuple[tuple[int, ...], Any]]:
        """Shape and NumPy dtype of each input, for a profile's `opt`."""
        return [
            (self.profiles[number][n][1], t._dtype.as_numpy_dtype) for n, t in zip(self.inputs, self.graph.arguments)
        ]

    def _samples(self) -> list[list[np.ndarray]]:
        """Inputs for detecting overflow, without calibration data.

        Numbers around zero, indices that are always valid.
        """
        rng = np.random.default_rng(0)
        shapes = self._shapes(0)
        return [
            [rng.standard_normal(s).astype(d) if np.dtype(d).kind not in "iub" else np.zeros(s, d) for s, d in shapes]
        ]

    # --- steps

    def plan(self) -> bytes:
        """Run the steps; the bytes of the plan."""
        started = time.monotonic()
        self._warn_of_settings()
        self._say(Severity.INFO, f"optimising a graph of {len(self.graph.nodes)} nodes", 0.0)
        graph, self.counts = optimised(self.graph)
        self._say(Severity.INFO, "choosing precisions", 0.2)
        graph = self._with_precision(graph)
        weights = weights_of(graph)
        self._say(Severity.INFO, f"compiling {len(graph.nodes)} nodes with {len(weights)} weights", 0.4)
        index, packed = plan.pack_arrays(weights)
        sections = {"graph": self._library(graph), "weights": packed}
        function = program.whole_function(graph)
        if function is not None:
            try:
                self._compile(graph, function, weights, sections)
            except program.NOT_WHOLE as error:
                self._say(Severity.WARNING, f"this is not one program ({error}): it runs in stretches")
        else:
            self._say(
                Severity.WARNING, "ops that XLA has no form of make this more than one program: it runs in stretches"
            )
        meta = {**self._meta(graph, index), "build_seconds": time.monotonic() - started}
        self._say(Severity.INFO, f"built in {meta['build_seconds']:.1f} s", 1.0)
        return plan.write({"meta": json.dumps(meta).encode(), **sections})

    def _warn_of_settings(self) -> None:
        """Warn about settings of TensorRT that have no effect here."""
        config, usual = self.config, IBuilderConfig()
        idle = [f"the flag {flag.name}" for flag in WITHOUT_EFFECT if config.get_flag(flag)]
        idle += ["profiling_verbosity"] if config.profiling_verbosity != usual.profiling_verbosity else []
        idle += (
            ["builder_optimization_level"] if config.builder_optimization_level < usual.builder_optimization_level
            else []
        )
        if idle:
            self._say(Severity.WARNING, f"without effect here: {', '.join(idle)}")

    def _with_precision(self, graph: FuncGraph) -> FuncGraph:
        config = self.config
        half = (
            tf.float16 if config.get_flag(BuilderFlag.FP16) else tf.bfloat16 if config.get_flag(BuilderFlag.BF16)
            else None
        )
        if config.get_flag(BuilderFlag.INT8):
            if config.int8_calibrator is None and not self.ranges:
                raise ValueError(
                    "INT8 needs a calibrator (config.int8_calibrator) or ranges (tensor.set_dynamic_range)."
                )
            found = (
                calibrated(graph, self.inputs, config.int8_calibrator) if config.int8_calibrator is not None
                else dict(self.ranges)
            )
            quantise = Int8(found)
            integers, self.int8_layers = Rewriter(graph, (quantise,)).run(), quantise.changed
            if half is None or config.get_flag(BuilderFlag.OBEY_PRECISION_CONSTRAINTS):
                return self._lowered(integers, half)
            return self._faster({"INT8": integers, half.name: graph}, half)
        return self._lowered(graph, half)

    def _lowered(self, graph: FuncGraph, half: Any) -> FuncGraph:
        """A graph with all eligible layers in half precision, if requested."""
        if half is not None:
            lower = HalfPrecision(half, largest_numbers(graph, self._samples()), self.wanted)
            graph = Rewriter(graph, (lower,)).run()
            self.kept = lower.kept
            overflowing = {n: why for n, why in lower.kept.items() if why.startswith("its numbers")}
            for name, why in overflowing.items():
                self._say(Severity.WARNING, f"{name} stays in FP32: {why}")
        return optimised(graph, STANDARD, 1)[0] if half is not None or self.int8_layers else graph

    def _faster(self, graphs: dict[str, FuncGraph], half: Any) -> FuncGraph:
        """Both precisions are allowed: the one whose program is faster on this device. The report has the times."""
        lowered, kept = dict[str, FuncGraph](), {}
        for name, graph in graphs.items():
            lowered[name] = self._lowered(graph, half)
            kept[name] = self.kept
        shapes = [jax.ShapeDtypeStruct(s, d) for s, d in self._shapes(0)]
        times = {name: seconds_of(graph, shapes) for name, graph in lowered.items()}
        known = {name: found for name, found in times.items() if found is not None}
        chosen = min(known, key=known.__getitem__) if len(known) == len(times) else "INT8"
        if known:
            self.tactics.append(known)
            told = ", ".join(f"{name}: {found * 1e3:.3f} ms" for name, found in known.items())
            self._say(Severity.INFO, f"{told}: the program with {chosen} is kept")
        self.kept = kept[chosen]
        self.int8_layers = self.int8_layers if chosen == "INT8" else []
        return lowered[chosen]

    def _compile(
        self, graph: FuncGraph, function: Callable[..., Any], weights: list[np.ndarray], sections: dict[str, bytes]
    ) -> None:
        limit = self.config.get_memory_pool_limit(MemoryPoolType.WORKSPACE)
        for number in range(len(self.profiles)):
            shapes = [jax.ShapeDtypeStruct(s, d) for s, d in self._shapes(number)]
            with (
                contextlib.nullcontext() if self.config.get_flag(BuilderFlag.TF32)
                else jax.default_matmul_precision("highest")
            ):
                tactics = Tactics(graph, function, weights, shapes, self.config)
            made, files = tactics.fastest(program.zeros(self._shapes(number)))
            if tactics.small is not None:
                sections[f"steps:{number}"], sections[f"constants:{number}"] = small.packed(tactics.small)
            if tactics.times:
                self.tactics.append(tactics.times)
                self._say(Severity.INFO, f"profile {number}: {tactics}")
            used = program.workspace(made) if limit else 0
            if used > limit:
                raise ValueError(
                    f"The program needs {used} bytes of workspace; the limit is {limit} (set_memory_pool_limit)."
                )
            try:
                sections[f"program:{number}"] = bytes(made.serialize())
                sections[f"cache:{number}"] = plan.pack_files(files)
            except ImportError as error:
                self._say(
                    Severity.WARNING, f"the plan holds no compiled program, so loading it compiles again: {error}"
                )
                return

    @staticmethod
    def _library(graph: FuncGraph) -> bytes:
        exporter = Exporter()
        exporter.name_of(graph, "engine")
        return exporter.library().SerializeToString()

    def _meta(self, graph: FuncGraph, index: list[list[Any]]) -> dict[str, Any]:
        bindings = [[n, "input", t._dtype.name, _open(t._dims)] for n, t in zip(self.inputs, self.graph.arguments)]
        bindings += [[n, "output", t._dtype.name, _open(t._dims)] for n, t in zip(self.output_names, graph.outputs)]
        report = {
            "passes": dict(self.counts), "tactics": self.tactics, "kept in FP32": self.kept, "int8": self.int8_layers,
            "layers": layers_of(graph, self.int8_layers),
        }
        return {
            "bindings": bindings, "profiles": self.profiles, "weights": index, "report": report,
            "fingerprint": fingerprint(), "flags": [flag.name for flag in BuilderFlag if self.config.get_flag(flag)],
        }


def _open(dims: Any) -> list[int]:
    return [] if dims is None else [-1 if n is None else n for n in dims]


def layers_of(graph: FuncGraph, int8: list[str]) -> list[dict[str, Any]]:
    """What the engine computes: an entry for each op of the optimised graph but constants."""
    found = []
    for node in graph.nodes:
        if node.inputs:
            kinds = [t._dtype.name for t in node.outputs]
            quantised = any(node.name.startswith(name) for name in int8)
            found.append({
                "Name": node.name, "LayerType": node.type,
                "Precision": "INT8" if quantised else kinds[0] if kinds else "",
                "Outputs": [_open(t._dims) for t in node.outputs],
            })
    return found


def fingerprint() -> dict[str, str]:
    """What compiled code depends on: versions, device, processor."""
    device = jax.devices()[0]
    return {
        "reflow": REFLOW, "jax": jax.__version__, "platform": device.platform, "device": device.device_kind,
        "machine": platform.machine(),
    }

