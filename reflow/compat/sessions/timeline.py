"""`Timeline`: the statistics of a step (`RunMetadata.step_stats`) as a trace for Chrome's `about:tracing`."""

from __future__ import annotations

import json


class Timeline:
    """A step as a list of trace events.

    Args:
      step_stats: a StepStats proto, as a session fills it.
      graph: ignored unless given: names of operations are taken from the statistics.
    """

    def __init__(self, step_stats, graph=None):
        self._step_stats, self._graph = step_stats, graph

    def generate_chrome_trace_format(self, show_dataflow=True, show_memory=False, op_time="schedule") -> str:
        """The trace as JSON: one process for each device, its operations, and with `show_dataflow` arrows between them."""
        events: list[dict] = []
        ends: dict[str, tuple[int, int, int]] = {}
        for pid, device in enumerate(self._step_stats.dev_stats):
            events.append({"name": "process_name", "ph": "M", "pid": pid, "args": {"name": f"{device.device} Compute"}})
            for stats in device.node_stats:
                self._add(events, ends, stats, pid, show_dataflow)
            if show_memory:
                events.extend(_memory(device, pid))
        return json.dumps({"traceEvents": events}, indent=4, separators=(",", ": "))

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
        events.append({"name": "cpu", "cat": "Memory", "ph": "C", "pid": pid, "tid": 0, "ts": at, "args": {"cpu": total}})
    return events
