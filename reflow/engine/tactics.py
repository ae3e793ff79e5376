"""Tactics: the ways to compile a graph, of which a builder chooses the fastest.

On a CPU there are three. One is an XLA program with our C++ kernels for convolutions and products (`reflow/native`), as
in every program. One uses only XLA's own kernels, which fuse the ops around a product into it and overlap with other
work. One is a list of C++ steps that runs in one call (`small.py`), for small and recurrent networks. Which is fastest
depends on sizes. Whole programs are timed, because a single layer says nothing about fusion. On a GPU there is only
one: XLA times the kernels of cuDNN and cuBLAS itself. If both INT8 and half precision are allowed, the integer program
and the other one are timed on any device (`seconds_of`).

A network below `small.FEW` runs in steps; a larger one that has steps does if it was faster. The two XLA programs are
timed if the configuration has a *timing cache*, or an optimization level of 4 or more. The cache stores the time of
each program by device and by a hash of the program: once all times are known, a builder compiles only the fastest.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax import export

from reflow.engine import program, small
from reflow.engine.config import IBuilderConfig, ITimingCache
from reflow.engine.enums import BuilderFlag
from reflow.engine.rewrite import weights_of
from reflow.graph.func_graph import FuncGraph
from reflow.ops.xp.xla.base import wide_types

OURS, XLA, STEPS = "kernels of ours", "XLA alone", "steps in C++"
ALWAYS = 4  # the optimization level from which tactics are timed without a cache
CALLS, MOST_CALLS = 5, 50  # of which the shortest counts
ENOUGH = 0.2  # seconds, after which the least number of calls will do


def _hash(text: str) -> str:
    """A hash of a program's text without the lines of Python that it came from."""
    return hashlib.sha256(re.sub(r"^#loc.*$|loc\(#loc\d*\)", "", text, flags=re.MULTILINE).encode()).hexdigest()


def _least_seconds(call: Callable[..., Any], weights: Sequence[Any], inputs: Sequence[Any]) -> float:
    found: list[float] = []
    while len(found) < CALLS or len(found) < MOST_CALLS and sum(found) < ENOUGH:
        found.append(program.seconds(call, weights, inputs))
    return min(found)


def seconds_of(graph: FuncGraph, shapes: Sequence[jax.ShapeDtypeStruct]) -> float | None:
    """The time of a graph as an XLA program, weights and inputs on the device; None if it is not one program."""
    function, weights = program.whole_function(graph), weights_of(graph)
    if function is None:
        return None
    try:
        call, _ = program.compiled(program.exported(function, weights, shapes), len(shapes), {})
    except program.NOT_WHOLE:
        return None
    with wide_types():
        inputs = [jax.device_put(np.zeros(s.shape, s.dtype)) for s in shapes]
        return _least_seconds(call, [jax.device_put(w) for w in weights], inputs)


class Tactics:
    """The programs that a graph may become, by the name of the tactic.

    `times` are the seconds of those that were compared.
    """

    def __init__(self, graph: FuncGraph, function: Callable[..., Any], weights: Sequence[np.ndarray],
                 shapes: Sequence[jax.ShapeDtypeStruct], config: IBuilderConfig) -> None:  # fmt: skip
        self._weights, self.times = weights, dict[str, float]()
        cache = None if config.get_flag(BuilderFlag.DISABLE_TIMING_CACHE) else config.get_timing_cache()
        self._cache = ITimingCache() if cache is None and config.builder_optimization_level >= ALWAYS else cache
        self.programs = {OURS: program.exported(function, weights, shapes)}
        if self._cache is not None and program.kernels_in(self.programs[OURS].mlir_module()):
            other = program.whole_function(graph, native=False)
            if other is not None:
                self.programs[XLA] = program.exported(other, weights, shapes)
        self.small = small.encoded(function, weights, shapes)
        self._files: dict[str, dict[str, bytes]] = {}

    def fastest(self, inputs: Sequence[np.ndarray]) -> tuple[export.Exported, dict[str, bytes]]:
        """The fastest XLA program, and the files of its compiled code.

        `small` is None afterwards if steps are slower.
        """
        uncertain = self.small is not None and self.small.work > small.FEW
        if uncertain or self._cache is not None:
            self.times = {
                name: self._seconds(name, inputs) for name in (*self.programs, *([STEPS] if uncertain else []))
            }
        chosen = min(self.programs, key=self.times.__getitem__) if self.times else OURS
        if uncertain and self.times[STEPS] > self.times[chosen]:
            self.small = None
        if chosen not in self._files:
            _, self._files[chosen] = program.compiled(self.programs[chosen], len(inputs), {})
        return self.programs[chosen], self._files[chosen]

    def _seconds(self, name: str, inputs: Sequence[np.ndarray]) -> float:
        """The time of a call: from the cache, or measured, and then in the cache."""
        times = {} if self._cache is None else self._cache.times
        text = str(self.small.steps) if name == STEPS and self.small else self.programs[name].mlir_module()
        key = f"{jax.devices()[0].device_kind} {_hash(text)}"
        if key not in times:
            times[key] = _least_seconds(*self._call(name, inputs), inputs)
        return times[key]

    def _call(self, name: str, inputs: Sequence[np.ndarray]) -> tuple[Callable[..., Any], Sequence[Any]]:
        """What runs a tactic's program, and its weights."""
        if name == STEPS and self.small is not None:
            return small.program_of(self.small), ()
        call, self._files[name] = program.compiled(self.programs[name], len(inputs), {})
        return call, [jax.device_put(w) for w in self._weights]

    def __str__(self) -> str:
        return ", ".join(
            f"{name}: {seconds * 1e3:.3f} ms" for name, seconds in sorted(self.times.items(), key=lambda item: item[1])
        )
