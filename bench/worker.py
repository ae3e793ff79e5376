"""A process that times rows for `run.py`: real TensorFlow in one, Reflow (and plain JAX) in the other.

    python bench/worker.py tensorflow|reflow [CPUS]

It reads one JSON object per line from stdin and answers each with one on stdout:

    {"do": "prepare", "row": NAME, "as": "program"|"jax"|"twin"}  ->  {"values": […], "iterations": k}
    {"do": "time", "row": NAME, "as": …, "iterations": k}  ->  {"seconds": s}
    {"do": "versions"}                                     ->  {"versions": {…}}
    anything that fails                                    ->  {"error": "…"}

`prepare` builds the program, calls it until nothing is traced or compiled any more, and finds how many
iterations fill a sample; its values are the sums of the first and the last of those calls' results, by which
the driver knows that both sides compute the same. What libraries print goes to stderr, not between answers.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import platform
import sys
import time
import traceback
from typing import Any

import distribute  # noqa: F401  registers its rows
import engines  # noqa: F401
import jobs  # noqa: F401
import numpy as np
import saving  # noqa: F401
import version1  # noqa: F401
from programs import ROWS, Step

SAMPLE_SECONDS = 0.07


def fetch(value: Any) -> np.ndarray:
    """The value on the host: waits for what is still running."""
    return np.asarray(value)


def time_step(step: Step, iterations: int) -> float:
    """Seconds for so many calls, the last result waited for."""
    if hasattr(step, "between"):
        return sum(time_call(step) for _ in range(iterations))
    start = time.perf_counter()
    for _ in range(iterations):
        value = step()
    fetch(value)
    return time.perf_counter() - start


def time_call(step: Step) -> float:
    """Seconds for one call; what the step does between calls is not timed."""
    start = time.perf_counter()
    fetch(step())
    seconds = time.perf_counter() - start
    step.between()
    return seconds


def time_settled(step: Step, iterations: int) -> float:
    """As `time_step`, after half as many calls that are not timed: the scheduler forgets the other worker's turn, and
    the collection of garbage, with a half-life of 32 ms, and meanwhile keeps threads on one core (an MLP step takes 330
    µs then, and 290 later)."""
    gc.collect()
    time_step(step, (iterations + 1) // 2)
    return time_step(step, iterations)


def calibrate(step: Step) -> int:
    """How many iterations take about SAMPLE_SECONDS."""
    iterations = 1
    while True:
        seconds = time_step(step, iterations)
        if seconds > SAMPLE_SECONDS / 4:
            return max(1, round(iterations * SAMPLE_SECONDS / seconds))
        iterations *= 2


class Worker:
    """Holds the framework and the steps prepared so far."""

    def __init__(self, framework: str, cpus: int):
        self.framework = framework
        self.tf = importlib.import_module(framework)
        if cpus > 1:
            self.divide(cpus)
        self.steps: dict[tuple[str, str], Step] = {}

    def divide(self, cpus: int) -> None:
        """Begin with so many logical CPUs, as the framework and as plain JAX has them."""
        cpu, logical = self.tf.config.list_physical_devices("CPU")[0], self.tf.config.LogicalDeviceConfiguration()
        self.tf.config.set_logical_device_configuration(cpu, [logical] * cpus)
        if self.framework == "reflow":
            import jax

            jax.config.update("jax_num_cpu_devices", cpus)

    def prepare(self, row: str, kind: str) -> dict[str, Any]:
        entry = ROWS[row]
        step = entry.jax() if kind == "jax" else (entry.twin if kind == "twin" else entry.program)(self.tf)
        results = [float(np.sum(fetch(step()), dtype=np.float64)) for _ in range(entry.warm_up)]
        self.steps[row, kind] = step
        return {"values": [results[0], results[-1]], "iterations": calibrate(step)}

    def time(self, row: str, kind: str, iterations: int) -> dict[str, Any]:
        return {"seconds": time_settled(self.steps[row, kind], iterations)}

    def versions(self) -> dict[str, Any]:
        found = {"python": platform.python_version(), "numpy": np.__version__}
        for name in (self.framework, "jax", "keras"):
            if name in sys.modules:
                found[name] = getattr(sys.modules[name], "__version__", "unknown")
        return {"versions": found}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["do"] == "prepare":
            return self.prepare(request["row"], request["as"])
        if request["do"] == "time":
            return self.time(request["row"], request["as"], request["iterations"])
        if request["do"] == "versions":
            return self.versions()
        raise ValueError(f"unknown request: {request}")


def answer_safely(worker: Worker, request: dict[str, Any]) -> dict[str, Any]:
    """A row that fails is reported and stops nothing."""
    try:
        return worker.answer(request)
    except Exception as error:
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}".splitlines()[0]}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # prints of libraries
    worker = Worker(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for line in sys.stdin:
        answers.write(json.dumps(answer_safely(worker, json.loads(line))) + "\n")


if __name__ == "__main__":
    main()
