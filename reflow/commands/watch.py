"""Observes a running program: traces, steps of functions, pipelines. `reflow explain` reports the results.

A `Watch` is active in its `with` block. Functions report each trace to it; it wraps the steps of new plans and the
stages of datasets with clocks. None of this has a cost while no watch is active.

Times are *own* times: the time spent in the steps of a loop's body belongs to the body.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any, NamedTuple

from reflow.compile import plan as plans
from reflow.compile.partition import HostStep, Step
from reflow.compile.region import Region
from reflow.core.tensor import EagerTensor
from reflow.data import dataset as datasets
from reflow.data.engine import values
from reflow.data.stage_times import Onlooker, TimedPipeline
from reflow.function import retracing
from reflow.function.retracing import Traced
from reflow.graph.node import Source, user_line
from reflow.runtime.schedule import Env, Instruction


class Trace(NamedTuple):
    """A trace, the code of the function, and the user's line that called it."""

    traced: Traced
    code: CodeType | None
    caller: Source | None


class HostWork:
    """What an instruction did on the host, over all its runs; `reason` is why it is not in a program."""

    def __init__(self, instruction: Instruction, plan: plans.Plan):
        self.instruction, self.plan = instruction, plan
        self.runs, self.seconds = 0, 0.0


class Input:
    """A pipeline that was read: by which user line, how often, and how long the reader waited."""

    def __init__(self, value: values.DatasetValue, watch: Watch):
        self.watch = watch
        self.timed = TimedPipeline(value)
        self.reader: Source | None = user_line()
        self.reads, self.waited = 0, 0.0
        self.first = self.last = 0.0  # when the first and the last read began and ended


class Watch:
    """Listens while its block runs; then `traces`, `host`, `inputs`, `compiled` and each kind's seconds are known."""

    def __init__(self) -> None:
        self.traces: list[Trace] = []
        self.host: dict[Instruction, HostWork] = {}
        self.inputs: list[Input] = []
        self.made_at: weakref.WeakKeyDictionary[Any, Source] = weakref.WeakKeyDictionary()
        self.compiled = 0
        self.compile_seconds = self.program_seconds = self.seconds = 0.0
        self._inner = threading.local()  # .seconds: what the steps inside the running one have taken
        self._start = 0.0

    def __enter__(self) -> Watch:
        retracing.LISTENERS.append(self._traced)
        plans.WATCHERS.append(self._planned)
        datasets.LISTENERS.append(self._made)
        values.WATCHERS.append(self._started)
        self._start = time.perf_counter()
        return self

    def __exit__(self, *exc: object) -> None:
        self.seconds = time.perf_counter() - self._start
        retracing.LISTENERS.remove(self._traced)
        plans.WATCHERS.remove(self._planned)
        datasets.LISTENERS.remove(self._made)
        values.WATCHERS.remove(self._started)

    def inside(self) -> float:
        """The seconds spent in functions, apart from compilation and from waiting for input."""
        return self.program_seconds + self.host_seconds()

    def host_seconds(self) -> float:
        """The seconds of ops on the host, apart from waiting for input."""
        return sum(work.seconds for work in self.host.values())

    # --- what happens

    def _traced(self, traced: Traced) -> None:
        function = traced.function.python_function
        code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
        self.traces.append(Trace(traced, code, user_line()))

    def _planned(self, plan: plans.Plan, steps: list[Step]) -> list[Any]:
        return [
            TimedHost(self, plan, step) if isinstance(step, HostStep) else TimedRegion(self, step) for step in steps
        ]

    def _made(self, dataset: Any) -> None:
        variant, line = dataset._variant_tensor, user_line()
        if isinstance(variant, EagerTensor) and line is not None:  # not one that a function makes for each element
            self.made_at.setdefault(variant._value, line)

    def _started(self, value: values.DatasetValue) -> values.DatasetValue:
        if getattr(self._inner, "reading", False):
            return value  # a function of the pipeline reads another: that is this pipeline's time
        found = Input(value, self)
        self.inputs.append(found)
        return TimedInput(found)

    @contextmanager
    def waiting(self) -> Iterator[list[float]]:
        """Measures a wait for input. The step that waits is not charged for it."""
        self._inner.reading = True
        outer, start = getattr(self._inner, "seconds", 0.0), time.perf_counter()
        span = [start, start]
        try:
            yield span
        finally:
            span[1] = time.perf_counter()
            self._inner.reading, self._inner.seconds = False, outer + span[1] - start

    @contextmanager
    def clock(self) -> Iterator[list[float]]:
        """Measures a block; afterwards the list holds its own seconds."""
        outer = getattr(self._inner, "seconds", 0.0)
        self._inner.seconds = 0.0
        own: list[float] = []
        start = time.perf_counter()
        try:
            yield own
        finally:
            taken = time.perf_counter() - start
            own.append(taken - self._inner.seconds)
            self._inner.seconds = outer + taken


class TimedHost:
    """A host step that is measured instruction by instruction."""

    def __init__(self, watch: Watch, plan: plans.Plan, step: HostStep):
        self.watch, self.step, self.instructions = watch, step, step.instructions
        self.parts = [(watch.host.setdefault(i, HostWork(i, plan)), HostStep([i])) for i in step.instructions]

    def run(self, env: Env) -> None:
        """Run the instructions."""
        for work, part in self.parts:
            work.runs += 1
            with self.watch.clock() as own:
                part.run(env)
            work.seconds += own[0]


class TimedRegion:
    """A region that is measured. A run in which a program appears is counted as compilation."""

    def __init__(self, watch: Watch, region: Region):
        self.watch, self.region = watch, region

    def __getattr__(self, name: str) -> Any:
        return getattr(self.region, name)

    def run(self, env: Env) -> None:
        """Run the region."""
        before = self._programs()
        with self.watch.clock() as own:
            self.region.run(env)
        new = self._programs() - before
        if new > 0:
            self.watch.compiled += new
            self.watch.compile_seconds += own[0]
        else:
            self.watch.program_seconds += own[0]

    def _programs(self) -> int:
        return sum(program.traced for program in list(self.region.programs.values()))


class TimedInput(values.DatasetValue):
    """The end of a pipeline under watch: it measures how long its reader waits."""

    onlooker = True

    def __init__(self, found: Input):
        self.inputs, self.found = (found.timed.watched,), found

    def iterate(self) -> TimedInputIterator:
        return TimedInputIterator(self)

    def __getattr__(self, name: str) -> Any:
        if name in ("inputs", "found"):
            raise AttributeError(name)
        return getattr(self.inputs[0], name)


class TimedInputIterator(Onlooker):
    """Reads the pipeline, and notes the time."""

    def __init__(self, dataset: TimedInput):
        self.dataset, self.inner = dataset, dataset.inputs[0].iterate()

    def __next__(self) -> list[Any]:
        found = self.dataset.found
        try:
            with found.watch.waiting() as span:
                element = next(self.inner)
        finally:
            found.first, found.last = found.first or span[0], span[1]
            found.waited += span[1] - span[0]
        found.reads += 1
        return element
