"""Turns an optimized graph into one XLA program: traced, exported as StableHLO, compiled.

A graph that is one program (`is_whole`) becomes a JAX function of weights and inputs. For the shapes of a profile it is
exported as StableHLO through `jax.export`, and the compiled export is what runs: so an engine that was just built and
one read from a plan run the same code. A graph with ops that XLA does not support (`NonZero`, strings) has no such
program; its plan runs it as several regions (`compile/plan.py`).

*Compiled code in plans.* JAX has no public way to write an executable without pickle, but it has a compilation cache:
files named by a hash of program, compiler and device. While an engine is built, the cache is a separate folder, whose
files go into the plan; a runtime puts them into such a folder before it compiles. On another machine or version these
names do not match, and the program is compiled again.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax import export
from jax.experimental.compilation_cache import compilation_cache

from reflow.compile.as_jax import Arrays
from reflow.compile.as_jax import whole_function as whole_function
from reflow.compile.lowering import MakeHost, NeedsValue
from reflow.core.errors import InvalidArgumentError
from reflow.ops.xp.xla.base import wide_types

#: what lowering raises for a graph that is not one program
NOT_WHOLE = (MakeHost, NeedsValue, InvalidArgumentError)
#: weights up to this many bytes in total are constants of their program: as arguments they would cost 3 µs each per
#: call
FEW_BYTES = 1 << 20
#: so are single weights up to this many bytes (biases, scales): two thirds of an encoder's arguments, a thousandth of
#: its bytes.
#: Both numbers belong to the format of plans: they say which weights the program in a plan takes.
SMALL_WEIGHT = 1 << 15


def exported(
    function: Callable[[Arrays, Arrays], list[Any]], weights: Arrays, inputs: Sequence[jax.ShapeDtypeStruct]
) -> export.Exported:
    """The function as StableHLO, for inputs of these shapes.

    It takes those weights first that are not its constants (`arguments`).
    """
    kept = arguments(weights)
    whole = function if len(kept) == len(weights) else _with_constants(function, weights, kept)
    with wide_types():
        shapes = [jax.ShapeDtypeStruct(weights[i].shape, weights[i].dtype) for i in kept]
        jitted = jax.jit(whole)
        text = jitted.lower(shapes, list(inputs)).as_text()
        # JAX does not guarantee that it will always be there
        attention = sorted(set(re.findall(r"custom_call @(__cudnn\$fmha\w+)", text)))
        allowed = [export.DisabledSafetyCheck.custom_call(name) for name in (*kernels_in(text), *attention)]
        return export.export(jitted, disabled_checks=allowed)(shapes, list(inputs))


def arguments(weights: Arrays) -> list[int]:
    """The positions of the weights that a program takes at every call; the others are its constants."""
    if sum(w.nbytes for w in weights) <= FEW_BYTES:
        return []
    return [i for i, w in enumerate(weights) if w.nbytes > SMALL_WEIGHT]


def _with_constants(
    function: Callable[[Arrays, Arrays], list[Any]], weights: Arrays, kept: Sequence[int]
) -> Callable[..., list[Any]]:
    """The function of the kept weights alone."""

    def of_kept(given: Arrays, inputs: Arrays) -> list[Any]:
        filled = list(weights)
        for i, weight in zip(kept, given, strict=True):
            filled[i] = weight
        return function(filled, inputs)

    return of_kept


def kernels_in(text: str) -> list[str]:
    """Our own kernels that a program calls."""
    return sorted(set(re.findall(r"custom_call @(reflow_\w+)", text)))


_switching = threading.RLock()  # JAX has one folder for all threads


@contextlib.contextmanager
def compilation_cache_in(folder: str) -> Iterator[None]:
    """Let JAX keep compiled programs in a folder, whatever its settings are outside."""
    wanted = {
        "jax_compilation_cache_dir": folder,
        # with a limit JAX requires a file of access times for each program, which plans do not contain
        "jax_compilation_cache_max_size": -1,
        "jax_persistent_cache_min_compile_time_secs": 0,
        "jax_persistent_cache_enable_xla_caches": "none",  # folders of XLA's own, whose names would be part of the hash
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    with _switching:
        before = {name: getattr(jax.config, name) for name in wanted}
        try:
            for name, value in wanted.items():
                jax.config.update(name, value)
            compilation_cache.reset_cache()
            yield
        finally:
            for name, value in before.items():
                jax.config.update(name, value)
            compilation_cache.reset_cache()


def compiled(
    program: export.Exported, inputs: int, cache: Mapping[str, bytes | memoryview]
) -> tuple[Callable[..., Any], dict[str, bytes]]:
    """A callable of weights and so many inputs that has been compiled, and the files of JAX's cache that this left.

    `cache` are a plan's.
    """
    with tempfile.TemporaryDirectory(prefix="reflow-engine-") as folder, compilation_cache_in(folder), wide_types():
        for name, content in cache.items():
            with open(os.path.join(folder, os.path.basename(name)), "wb") as file:
                file.write(content)
        made = jax.jit(program.call).lower(*_shapes(program)).compile()
        call = Compiled(made, len(program.in_avals) - inputs)
        files = {}
        for name in sorted(os.listdir(folder)):
            if name.endswith("-cache"):
                with open(os.path.join(folder, name), "rb") as file:
                    files[name] = file.read()
        return call, files


class Compiled:
    """A compiled program as a function of all weights, the same at every call; it takes some of them as arguments."""

    def __init__(self, made: Any, taken: int) -> None:
        self._made, self._taken = made, taken
        self._kept: list[int] | None = [] if taken else None  # the positions of the arguments, found at the first call
        self.as_text: Callable[[], str] = made.as_text

    def __call__(self, weights: Arrays, inputs: Arrays) -> Any:
        kept = self._kept
        if kept is None:
            return self._made([], inputs)
        if len(weights) == self._taken:
            return self._made(weights, inputs)
        if not kept:
            kept.extend(arguments(weights))
        return self._made([weights[i] for i in kept], inputs)


def _shapes(program: export.Exported) -> tuple[Any, ...]:
    """The shapes of a program's weights and inputs, as it takes them."""
    return jax.tree.unflatten(program.in_tree, [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in program.in_avals])[0]


def exact(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with products and convolutions in true FP32, also where the device would round to TF32."""

    def exactly(*args: Any) -> Any:
        with jax.default_matmul_precision("highest"):
            return function(*args)

    return exactly


def zeros(shapes: Sequence[tuple[tuple[int, ...], Any]]) -> list[np.ndarray]:
    """Inputs to compile a program with."""
    return [np.zeros(shape, dtype) for shape, dtype in shapes]


def workspace(program: export.Exported) -> int:
    """Bytes that a compiled program uses besides inputs, weights and outputs."""
    with wide_types():
        found = jax.jit(program.call).lower(*_shapes(program)).compile().memory_analysis()
    return int(getattr(found, "temp_size_in_bytes", 0))


def seconds(call: Callable[..., Any], weights: Arrays, inputs: Arrays) -> float:
    """The time of one call."""
    with wide_types():
        started = time.perf_counter()
        jax.block_until_ready(call(list(weights), list(inputs)))
        return time.perf_counter() - started
