"""Counters, gauges and samplers with which Reflow and other libraries measure themselves
(`tensorflow.python.eager.monitoring`).

A metric has a cell for each combination of labels. Two metrics of the same kind and name share their cells, as in
TensorFlow. Nothing reports them anywhere.
"""

from __future__ import annotations

import bisect
import collections
import threading
import time
from collections.abc import Callable
from typing import Any

_cells: dict[Any, dict[tuple, Any]] = collections.defaultdict(dict)
_lock = threading.Lock()
#: names of the sections being timed
MonitoredTimerSections: list[str] = []


class Metric:
    """A measurement with labels; `get_cell` returns the cell for one combination of them."""

    _cell_class: type

    def __init__(self, name: str, description: str, *label_names: str) -> None:
        self._name, self._description, self._label_names = name, description, label_names

    def get_cell(self, *labels: Any) -> Any:
        """The cell of these labels, one for each label name."""
        if len(labels) != len(self._label_names):
            raise ValueError(f"The {self._name} has {len(self._label_names)} labels, not {len(labels)}.")
        with _lock:
            cells = _cells[type(self), self._name]
            if labels not in cells:
                cells[labels] = self._new_cell()
            return cells[labels]

    def _new_cell(self) -> Any:
        return self._cell_class()


class CounterCell:
    """A number that only grows."""

    def __init__(self) -> None:
        self._value = 0

    def increase_by(self, value: float) -> None:
        with _lock:
            self._value += int(value)

    def value(self) -> int:
        return self._value


class _Gauge:
    """The last value that was set."""

    _empty: object = None

    def __init__(self) -> None:
        self._value = self._empty

    def set(self, value: Any) -> None:
        self._value = value

    def value(self) -> Any:
        return self._value


class IntGaugeCell(_Gauge):
    _empty = 0


class StringGaugeCell(_Gauge):
    _empty = ""


class BoolGaugeCell(_Gauge):
    _empty = False


class SamplerCell:
    """A histogram of the added values."""

    def __init__(self, limits: list[float]) -> None:
        self._limits, self._samples = limits, list[float]()

    def add(self, value: float) -> None:
        self._samples.append(float(value))

    def value(self) -> Any:
        """The histogram as a HistogramProto."""
        from tensorboard.compat.proto.summary_pb2 import HistogramProto

        counts = [0] * (len(self._limits) + 1)
        for sample in self._samples:
            counts[bisect.bisect_right(self._limits, sample)] += 1
        samples = self._samples or [0.0]
        return HistogramProto(
            min=min(samples), max=max(samples), num=len(self._samples), sum=sum(self._samples),
            sum_squares=sum(s * s for s in self._samples), bucket_limit=[*self._limits, 1.7976931348623157e308],
            bucket=counts,
        )


class Counter(Metric):
    _cell_class = CounterCell


class IntGauge(Metric):
    _cell_class = IntGaugeCell


class StringGauge(Metric):
    _cell_class = StringGaugeCell


class BoolGauge(Metric):
    _cell_class = BoolGaugeCell


class ExponentialBuckets:
    """Bucket limits of a histogram, each a multiple of the previous one."""

    def __init__(self, scale: float, growth_factor: float, bucket_count: int) -> None:
        self.limits = [scale * growth_factor**i for i in range(bucket_count)]


class Sampler(Metric):
    """A histogram of values."""

    def __init__(self, name: str, buckets: ExponentialBuckets, description: str, *label_names: str) -> None:
        super().__init__(name, description, *label_names)
        self._buckets = buckets

    def _new_cell(self) -> Any:
        return SamplerCell(self._buckets.limits)


class MonitoredTimer:
    """Adds the microseconds that a block takes to a counter's cell.

    A named section may be nested in itself; `avoid_repetitive_counting` then counts only the outermost block.
    """

    def __init__(
        self, cell: Any, monitored_section_name: str | None = None, avoid_repetitive_counting: bool = False
    ) -> None:
        self._cell, self._section, self._once = cell, monitored_section_name, avoid_repetitive_counting

    def __enter__(self) -> MonitoredTimer:
        self._counting = not (self._once and self._section in MonitoredTimerSections)
        if self._section:
            MonitoredTimerSections.append(self._section)
        self._begin = time.time()
        return self

    def __exit__(self, *error: object) -> None:
        if self._counting:
            self._cell.increase_by((time.time() - self._begin) * 1_000_000)
        if self._section:
            MonitoredTimerSections.remove(self._section)


def monitored_timer(cell: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that measures each call of a function."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **kwargs: Any) -> Any:
            with MonitoredTimer(cell):
                return function(*args, **kwargs)

        return timed

    return decorate
