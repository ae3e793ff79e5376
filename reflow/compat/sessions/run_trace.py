"""Traced steps: `RunOptions(trace_level=FULL_TRACE)` and `RunMetadata`.

Such a step is interpreted op by op: a compiled program does not report when its parts ran.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from reflow.compat.protos import RunMetadata
from reflow.core import dtypes
from reflow.core.context import swapped
from reflow.devices.names import CPU0, merged
from reflow.graph.node import Node
from reflow.runtime.interpret import host_value, run_instructions
from reflow.runtime.schedule import schedule_of


def run_traced(graph, values, metadata: RunMetadata) -> list:
    """Run a function, and note in `metadata` when each operation ran and what it gave."""
    schedule = schedule_of(graph)
    env: list = [host_value(v) for v in values] + [None] * (schedule.slots - len(values))
    by_device: dict[str, Any] = {}
    with swapped(graph=None, tapes=(), interpreting=True):
        for instruction in schedule.instructions:
            start = time.time_ns()
            run_instructions([instruction], env, [()])
            device = merged(CPU0, _device(instruction.node))
            if device not in by_device:
                by_device[device] = metadata.step_stats.dev_stats.add(device=device)
            _note(by_device[device], instruction, start, time.time_ns(), env)
    return [env[s] for s in schedule.outputs]


def _device(node: Node) -> str:
    """Where a node runs: on its device, or else on that of the variable that it works on."""
    return node.device or next((t.op.device for t in node.inputs if t._dtype is dtypes.resource and t.op.device), "")


def _note(stats, instruction, start: int, end: int, env) -> None:
    node = instruction.node
    inputs = ", ".join(t.op.name for t in node.inputs)
    lasted = max(1, (end - start) // 1000)
    entry = stats.node_stats.add(
        node_name=node.name, all_start_micros=start // 1000, op_start_rel_micros=0, op_end_rel_micros=lasted,
        all_end_rel_micros=lasted, all_start_nanos=start, op_end_rel_nanos=end - start, all_end_rel_nanos=end - start,
        timeline_label=f"{node.name} = {node.type}({inputs})", scheduled_micros=start // 1000,
        thread_id=threading.get_native_id(),
    )
    for slot, (tensor, place) in enumerate(zip(node.outputs, instruction.outs, strict=True)):
        value = env[place]
        description = entry.output.add(slot=slot).tensor_description
        description.dtype = tensor._dtype.enum
        for size in getattr(value, "shape", ()):
            description.shape.dim.add(size=size)
        description.allocation_description.requested_bytes = getattr(value, "nbytes", 0)
        description.allocation_description.allocator_name = "cpu"
