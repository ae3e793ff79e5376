"""Runs signatures of a loaded SavedModel with the plans that `Converter.save` wrote, where they fit.

A plan fits a call if it was built for this device and these versions, if its profile includes the shapes of the call,
and if the model's variables still have the values with which they were loaded, because a plan has its own copy.
Everything else runs the model's own function: calls in graphs and under tapes, other shapes, and all calls if a plan is
damaged or belongs to a model that was in the folder before.
"""

from __future__ import annotations

import glob
import os
import threading
from collections.abc import Sequence
from typing import Any

from reflow.core.tensor import EagerTensor
from reflow.engine.builder import fingerprint
from reflow.engine.logger import Logger, Severity
from reflow.engine.plan import PlanError, mapped
from reflow.engine.runtime import ICudaEngine, Runtime
from reflow.engine.tf_trt import MODEL, identity
from reflow.function.plans import PLANS
from reflow.saved_model.functions import LoadedFunction


def serve_by_plans(root: Any, folder: str) -> None:
    """Let the signatures of a loaded model use the plans in its folder."""
    place = os.path.join(folder, PLANS)
    try:
        with open(os.path.join(place, MODEL), encoding="utf-8") as file:
            if file.read() != identity(folder):
                return  # another model was saved here since
    except FileNotFoundError:
        return
    for key, function in getattr(root, "signatures", {}).items():
        paths = sorted(glob.glob(os.path.join(glob.escape(place), f"{glob.escape(key)}_*.plan")))
        if paths and isinstance(function, LoadedFunction):
            function.served = PlannedCalls(function, paths)


class PlannedCalls:
    """Runs a signature by its plans. They are read at the first call."""

    def __init__(self, function: LoadedFunction, paths: Sequence[str]) -> None:
        self._names = [t.op.name for t in function.graph.arguments]
        self._cells = [v.handle._value.cell for v in function.graph.variables]
        self._loaded = [cell.buf for cell in self._cells]
        self._paths, self._lock = list(paths), threading.Lock()
        self._engines: list[ICudaEngine] | None = None

    def __call__(self, tensors: Sequence[Any]) -> list[EagerTensor] | None:
        """The outputs for these arguments, or None if no plan fits."""
        if any(cell.buf is not old for cell, old in zip(self._cells, self._loaded)):
            return None
        shapes = {name: tuple(t.shape) for name, t in zip(self._names, tensors, strict=True)}
        for engine in self.engines:
            if engine.fits(shapes):
                given = dict(zip(self._names, tensors))
                results = engine.create_execution_context()(*[given[name] for name in engine.input_names])
                return results if isinstance(results, list) else [results]
        return None

    @property
    def engines(self) -> list[ICudaEngine]:
        """The engines that were built for this device and these versions."""
        with self._lock:
            if self._engines is None:
                self._engines = [engine for path in self._paths if (engine := _read(path)) is not None]
            return self._engines


def _read(path: str) -> ICudaEngine | None:
    logger = Logger(Logger.WARNING)
    try:
        engine = Runtime(Logger(Logger.ERROR)).deserialize_cuda_engine(mapped(path))
    except (PlanError, OSError) as error:
        logger.log(Severity.WARNING, f"{path} is not used: {error}")
        return None
    if engine.meta["fingerprint"] != fingerprint():
        logger.log(Severity.INFO, f"{path} is not used: it was built for {engine.meta['fingerprint']}")
        return None
    return engine
