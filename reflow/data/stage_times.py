"""`reflow.data.explain`: finds the slowest stage of a pipeline.

The pipeline runs with a clock around every stage. A stage's *own* time is the time of its iterator minus the time of
the iterators it read from in the same thread; time spent waiting for another thread is shown separately. The bottleneck
is the stage with the most own time per element of the pipeline, divided by the threads that work on it.
"""

from __future__ import annotations

import copy
import threading
import time
from typing import Any, NamedTuple

import numpy as np

from reflow.api.export import export
from reflow.core.tensor import HostObject
from reflow.data.engine.buffers import Channel, PrefetchIterator
from reflow.data.engine.values import DatasetIterator, DatasetValue


class Stage(NamedTuple):
    """What was measured of one stage."""

    name: str
    depth: int  # how many stages read it, on the way to the end of the pipeline
    elements: int
    seconds: float  # its own time
    threads: int
    fill: float | None  # of a queue: how full it was on average
    bytes: int  # of the elements that it gave


class Report:
    """What `explain` found: `stages`, `bottleneck`, `seconds`; printed as a table, in notebooks as bars."""

    def __init__(self, stages: list[Stage], seconds: float):
        self.stages, self.seconds = stages, seconds

    @property
    def bottleneck(self) -> Stage:
        """The stage that takes most of the time, shared between its threads."""
        return max(self.stages, key=lambda s: s.seconds / s.threads)

    def __str__(self):
        worst = self.bottleneck
        head = f"{'stage':32} {'elements':>10} {'own ms':>10} {'us each':>9} {'threads':>7} {'queue':>6} {'MB':>9}"
        lines = [head, "-" * len(head)]
        for s in self.stages:
            each = 1e6 * s.seconds / s.elements if s.elements else 0.0
            fill = "" if s.fill is None else f"{s.fill:.0%}"
            name = "  " * s.depth + s.name
            lines.append(
                f"{name:32.32} {s.elements:>10} {1e3 * s.seconds:>10.1f} {each:>9.1f} {s.threads:>7} "
                f"{fill:>6} {s.bytes / 1e6:>9.1f}"
                + ("  <- bottleneck" if s is worst else "")
            )
        share = worst.seconds / worst.threads / self.seconds if self.seconds else 0
        lines.append(f"{self.seconds:.3f} s in all; {worst.name} takes {min(share, 1):.0%} of it.")
        return "\n".join(lines)

    def _repr_html_(self):
        most = max((s.seconds for s in self.stages), default=0) or 1
        rows = "".join(
            f"<tr><td>{'&nbsp;' * 4 * s.depth}{s.name}</td><td>{s.elements}</td>"
            f"<td><div style='background:#4a90d9;height:1em;width:{300 * s.seconds / most:.0f}px'></div></td>"
            f"<td>{1e3 * s.seconds:.1f} ms</td></tr>"
            for s in self.stages
        )
        return f"<table>{rows}</table>"

    __repr__ = __str__


class _Clock:
    """The measurements of one stage, by all its iterators."""

    def __init__(self, name: str, depth: int, threads: int, value: DatasetValue):
        self.name, self.depth, self.threads, self.value = name, depth, threads, value
        self.elements = self.bytes = 0
        self.seconds = 0.0
        self.fills: list[float] = []


_running = threading.local()  # .inner: time spent so far by the stages that the running one reads


class Onlooker(DatasetIterator):
    """An iterator around another, `inner`, whose position is its own."""

    inner: DatasetIterator

    def state(self) -> dict:
        return self.inner.state()

    def restore(self, state: dict):
        self.inner.restore(state)


class _TimedIterator(Onlooker):
    """An iterator with a clock around `next`."""

    def __init__(self, dataset):
        self.dataset, self.clock = dataset, dataset.clock
        self.inner = dataset.inputs[0].iterate()
        block = getattr(self.inner, "next_block", None)
        if block is not None:
            self.next_block = lambda count: self._measured(lambda: block(count))
        if getattr(self.inner, "in_turn", False):
            self.in_turn = False

    @property
    def in_memory(self) -> bool:
        return self.inner.in_memory

    def __next__(self):
        return self._measured(lambda: next(self.inner))

    def _measured(self, read):
        outer = getattr(_running, "inner", 0.0)
        _running.inner = 0.0
        start = time.perf_counter()
        waits = isinstance(self.inner, PrefetchIterator)  # another thread works: the time is not this stage's
        channel: Any = getattr(self.inner, "channel", None)
        if waits and isinstance(channel, Channel):
            self.clock.fills.append(len(channel.queue) / max(channel.limit, 1))
        try:
            result = read()
        finally:
            taken = time.perf_counter() - start
            self.clock.seconds += 0.0 if waits else taken - _running.inner
            _running.inner = outer + taken
        rows = result[1] if isinstance(result, tuple) else result
        self.clock.elements += result[0] if isinstance(result, tuple) else 1
        self.clock.bytes += sum(v.nbytes for v in rows if isinstance(v, np.ndarray) and not isinstance(v, HostObject))
        return result


class _Timed(DatasetValue):
    """A stage under a clock."""

    iterator = _TimedIterator
    onlooker = True

    def __init__(self, source: DatasetValue, clock: _Clock):
        self.inputs, self.clock = (source,), clock

    def get(self, index):
        return self.inputs[0].get(index)

    def __getattr__(self, name):  # what stages ask of their inputs: rows, random access
        if name in ("inputs", "clock"):
            raise AttributeError(name)
        return getattr(self.inputs[0], name)


def _watched(node: DatasetValue, depth: int, clocks: list[_Clock]) -> DatasetValue:
    """The same pipeline with a clock around each stage; `clocks` in the order from the end to the sources."""
    threads = getattr(node, "workers", 1) if getattr(node, "overlaps", False) else 1
    clock = _Clock(type(node).__name__, depth, threads, node)
    clocks.append(clock)
    if node.inputs:
        node = copy.copy(node)
        node.inputs = tuple(_watched(source, depth + 1, clocks) for source in node.inputs)
    return _Timed(node, clock)


class TimedPipeline:
    """A pipeline with a clock around each of its stages.

    `watched` takes its place, `report` tells what was measured.
    """

    def __init__(self, value: DatasetValue):
        self._clocks: list[_Clock] = []
        self.watched = _watched(value, 0, self._clocks)

    @property
    def values(self) -> list[DatasetValue]:
        """The stages of the program, in the order of the report."""
        return [clock.value.origin or clock.value for clock in self._clocks]

    def report(self, seconds: float) -> Report:
        """The results of the clocks, after a run of this many seconds."""
        stages = [
            Stage(
                c.name, c.depth, c.elements, c.seconds, c.threads, sum(c.fills) / len(c.fills) if c.fills else None,
                c.bytes,
            )
            for c in self._clocks
        ]
        return Report(stages, seconds)


@export("data.explain")
def explain(dataset, elements=None, seconds=10.0):
    """Runs a pipeline and tells which stage takes the time.

    Args:
      dataset: a `tf.data.Dataset`.
      elements: how many elements to read at most; None reads until `seconds` are over.
      seconds: when to stop.

    Returns:
      A report: print it, or look at `report.stages` and `report.bottleneck`.

    >>> ds = tf.data.Dataset.range(1000).map(lambda x: x + 1).batch(10)
    >>> report = tf.data.explain(ds, elements=50)
    >>> [stage.name for stage in report.stages]
    ['Batch', 'Map', 'Range']
    """
    pipeline = TimedPipeline(dataset._variant_tensor._value)
    start, count = time.perf_counter(), 0
    iterator = pipeline.watched.iterate()
    while (elements is None or count < elements) and time.perf_counter() - start < seconds:
        if next(iterator, None) is None:
            break
        count += 1
    return pipeline.report(time.perf_counter() - start)
