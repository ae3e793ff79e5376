"""`Timeline`: the statistics of a step (`RunMetadata.step_stats`) as a trace for Chrome's `about:tracing`."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class AllocationMaximum(NamedTuple):
    """When an allocator had handed out most, how many bytes that were, and for which tensors."""

    timestamp: int
    num_bytes: int
    tensors: set[str]


class ChromeTrace:
    """A trace for Chrome's `about:tracing`."""

    def __init__(self, events: list[dict]) -> None:
        self._events = events

    def format_to_string(self, pretty: bool = False) -> str:
        """The trace as JSON."""
        trace = {"traceEvents": self._events}
        return json.dumps(trace, indent=4, separators=(",", ": ")) if pretty else json.dumps(trace)


class StepStatsAnalysis(NamedTuple):
    """The trace of a step, and the most memory that each allocator handed out, by its name."""

    chrome_trace: ChromeTrace
    allocator_maximums: dict[str, AllocationMaximum]


class Timeline:
    """A step as a list of trace events.

    Args:
      step_stats: a StepStats proto, as a session fills it.
      graph: ignored unless given: names of operations are taken from the statistics.
    """

    def __init__(self, step_stats, graph=None):
        self._step_stats, self._graph = step_stats, graph

    def generate_chrome_trace_format(self, show_dataflow=True, show_memory=False, op_time="schedule") -> str:
        """The trace as JSON: a process for each device, its operations, with `show_dataflow` arrows between them."""
        return ChromeTrace(self._events(show_dataflow, show_memory)).format_to_string(pretty=True)

    def analyze_step_stats(self, show_dataflow=True, show_memory=True, op_time="schedule") -> StepStatsAnalysis:
        """The trace, and how much memory the step took."""
        return StepStatsAnalysis(ChromeTrace(self._events(show_dataflow, show_memory)), self._maximums())

    def _maximums(self) -> dict[str, AllocationMaximum]:
        """A tensor takes memory from the end of the operation that makes it to the end of the last that reads it."""
        every = [stats for device in self._step_stats.dev_stats for stats in device.node_stats]
        changes: dict[str, list[tuple[int, int, str]]] = {}
        last = {source: _end(stats) for stats in every for source in parse_label(stats.timeline_label)[2]}
        for stats in every:
            for output in stats.output:
                held = output.tensor_description.allocation_description
                steps = changes.setdefault(held.allocator_name, [])
                steps.append((_end(stats), held.requested_bytes, stats.node_name))
                if stats.node_name in last:
                    steps.append((last[stats.node_name] + 1, -held.requested_bytes, stats.node_name))
        return {name: _most(sorted(steps)) for name, steps in changes.items()}

    def _events(self, show_dataflow: bool, show_memory: bool) -> list[dict]:
        events: list[dict] = []
        ends: dict[str, tuple[int, int, int]] = {}
        for pid, device in enumerate(self._step_stats.dev_stats):
            events.append({"name": "process_name", "ph": "M", "pid": pid, "args": {"name": f"{device.device} Compute"}})
            for stats in device.node_stats:
                self._add(events, ends, stats, pid, show_dataflow)
            if show_memory:
                events.extend(_memory(device, pid))
        return events

    @staticmethod
    def _add(events, ends, stats, pid, arrows):
        name, op, inputs = parse_label(stats.timeline_label or stats.node_name)
        start, lasted = stats.all_start_micros, stats.all_end_rel_micros
        args = {"name": name, "op": op, **{f"input{i}": x for i, x in enumerate(inputs)}}
        events.append(
            {"name": op, "ph": "X", "cat": "Op", "pid": pid, "tid": 0, "ts": start, "dur": lasted, "args": args}
        )
        for source in inputs if arrows else ():
            if source in ends:
                number, from_pid, at = ends[source]
                flow = {"name": source, "cat": "DataFlow", "id": number * 100_000 + len(events)}
                events.append({**flow, "ph": "s", "pid": from_pid, "tid": 0, "ts": at})
                events.append({**flow, "ph": "t", "pid": pid, "tid": 0, "ts": start})
        ends[name] = len(ends), pid, start + lasted


def _end(stats: Any) -> int:
    end: int = stats.all_start_micros + stats.all_end_rel_micros
    return end


def _most(steps: list[tuple[int, int, str]]) -> AllocationMaximum:
    """The largest sum of changes (time, bytes, tensor) up to one of them."""
    held: set[str] = set()
    total, most = 0, AllocationMaximum(0, 0, set())
    for time, change, name in steps:
        total += change
        (held.add if change > 0 else held.discard)(name)
        if total > most.num_bytes:
            most = AllocationMaximum(time, total, set(held))
    return most


def parse_label(label: str) -> tuple[str, str, list[str]]:
    """The name, op and inputs of an operation from its label.

    >>> parse_label("c = AddV2(a, b)")
    ('c', 'AddV2', ['a', 'b'])
    """
    if " = " not in label or not label.endswith(")"):
        return label, label, []
    name, _, rest = label.partition(" = ")
    op, _, inputs = rest[:-1].partition("(")
    return name, op, [x for x in inputs.split(", ") if x]


def _memory(device, pid) -> list[dict]:
    """How many bytes the operations of a device have made so far, as a counter."""
    total, events = 0, []
    for stats in device.node_stats:
        total += sum(o.tensor_description.allocation_description.requested_bytes for o in stats.output)
        at = stats.all_start_micros + stats.all_end_rel_micros
        events.append(
            {"name": "cpu", "cat": "Memory", "ph": "C", "pid": pid, "tid": 0, "ts": at, "args": {"cpu": total}}
        )
    return events
