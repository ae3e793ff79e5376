"""Suggestions derived from what a `Watch` saw: each names a user line, what happens there, and a fix."""

from __future__ import annotations

import linecache
import os
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from reflow.api.framework.explain import why_on_host
from reflow.commands.watch import HostWork, Input, Trace, Watch
from reflow.core.specs import TensorSpec
from reflow.data.engine.batches import Batch
from reflow.data.engine.buffers import Cache, Prefetch
from reflow.data.engine.functions import Map, ParallelMap
from reflow.data.engine.snapshots import FileCache
from reflow.data.engine.values import DatasetValue, Generated
from reflow.data.iterators import GET_NEXT
from reflow.function.retracing import brief, differences
from reflow.function.trace_key import Static
from reflow.graph.node import Source

MANY_TRACES = 3  # of one function for one reason
MANY_RUNS = 10  # of an instruction on the host
LARGE_SHARE = 0.02  # of the program's time, for a line on the host
LARGE_PART, LEAST_SECONDS = 0.1, 0.01  # of the time in functions: a short trial run spends most of its time on imports
WAITING_SHARE = 0.25  # of the time between the first and the last read of a pipeline
WAITING_SECONDS = 0.1


class Finding(NamedTuple):
    """Something to act on: where, what happens, what to do, and how many seconds it took."""

    where: str
    line: str  # the user's source
    what: str
    remedy: str
    seconds: float


def findings(watch: Watch) -> list[Finding]:
    """All findings, the most expensive first."""
    found = [*retraced(watch), *on_host(watch), *starving(watch)]
    return sorted(found, key=lambda finding: -finding.seconds)


# --- traces


def retraced(watch: Watch) -> Iterator[Finding]:
    """Functions that were traced again and again for the same reason."""
    groups: dict[tuple[Any, str], list[Trace]] = defaultdict(list)
    for trace in watch.traces:
        groups[trace.code, _cause(trace)].append(trace)
    for (code, cause), traces in groups.items():
        if len(traces) < MANY_TRACES:
            continue
        name = traces[0].traced.function.name
        where, line = place(traces[-1].caller)
        defined = f" (defined at {place((code, code.co_firstlineno))[0]})" if code is not None else ""
        seconds = sum(trace.traced.seconds for trace in traces)
        what = (
            f"`{name}`{defined} was traced {len(traces)} times for one reason, {seconds:.2f} s: "
            f"{_cause_words(cause, traces)}"
        )
        yield Finding(
            where, line, what, _remedy(cause, code).format(name=name, argument=cause.partition(":")[2]),
            seconds,
        )


def _cause(trace: Trace) -> str:
    """Why it was traced: a kind, and after a colon the argument."""
    traced = trace.traced
    if traced.before is None:
        return "new"
    changes = differences(traced.before, traced.structure, traced.names)
    if not changes:
        return "structure"
    path, old, new = changes[0]
    if isinstance(new, Static):
        number = isinstance(new.value, (int, float)) and not isinstance(new.value, bool)
        return f"{'number' if number else 'object'}:{path}"
    if isinstance(old, TensorSpec) and isinstance(new, TensorSpec) and old.dtype == new.dtype:
        return f"shape:{path}"
    return f"type:{path}"


def _cause_words(cause: str, traces: list[Trace]) -> str:
    kind, _, argument = cause.partition(":")
    if kind == "new":
        return "each time the function was a new one"
    if kind == "structure":
        return "the structure of its arguments changed"
    shown = []
    for trace in traces:
        changes = differences(trace.traced.before, trace.traced.structure, trace.traced.names) or []
        shown += [brief(new) for path, _, new in changes if path == argument]
    some = ", ".join(dict.fromkeys(shown[:4])) + (", …" if len(shown) > 4 else "")
    return f"its argument `{argument}` was {some}"


def _remedy(cause: str, code: Any) -> str:
    scope = getattr(code, "co_qualname", "").rpartition(".")[0]
    method = cause == "new" and scope and not scope.endswith("<locals>")
    return _REMEDIES["method" if method else cause.split(":")[0]]


_REMEDIES = {
    "method": "A method is traced anew for each object: keep one object, or decorate a function outside of the class.",
    "new": "Make the function once, outside the loop, and call it in the loop.",
    "structure": "Pass arguments of one structure: lists and dictionaries of equal length and equal keys.",
    "number": "Python numbers are part of the trace. Pass `{argument}` as a tensor: "
        "`{name}(…, tf.constant({argument}))`.",
    "object": "Python objects are part of the trace. Pass what changes as a tensor, or make one object and keep it.",
    "shape": "Leave the size open: `@tf.function(reduce_retracing=True)`, or an `input_signature` with None in the "
        "shape of `{argument}`. Or pad the batches to one size (`drop_remainder=True`, `padded_batch`).",
    "type": "Pass `{argument}` always in one dtype: `tf.cast` it, or make it with `dtype=`.",
}

# --- the host


def on_host(watch: Watch) -> Iterator[Finding]:
    """Ops that ran on the host, again and again, inside functions."""
    lines: dict[tuple[str, str], list[HostWork]] = defaultdict(list)
    for work in watch.host.values():
        if work.runs >= MANY_RUNS and work.instruction.op is not GET_NEXT and not work.instruction.op.flow:
            lines[place(work.instruction.node.source)].append(work)
    for (where, line), works in lines.items():
        seconds = sum(work.seconds for work in works)
        slow = seconds > min(LARGE_SHARE * watch.seconds, max(LEAST_SECONDS, LARGE_PART * watch.inside()))
        main = max(works, key=lambda work: (work.instruction.op.opaque, work.instruction.op.effect, work.seconds))
        if not slow and not main.instruction.op.opaque:
            continue
        name, reason = main.instruction.op.name, why_on_host(main.plan, main.instruction)
        what = f"{name} in `{main.plan.graph.name}` ran on the host {main.runs} times, {seconds:.2f} s: {reason}"
        yield Finding(where, line, what, _host_remedy(main), seconds)


def _host_remedy(work: HostWork) -> str:
    instruction = work.instruction
    op, node = instruction.op, instruction.node
    if op.opaque:
        return (
            "The compiled program stops here, and Python's lock is held. Write it with TensorFlow's ops, or do it "
            "before the function: in `dataset.map`, or once for all steps."
        )
    if op.effect:
        return "Do it now and then: outside the function, or below `if step % 100 == 0`."
    if any(t._dtype.kind == "s" for t in (*node.inputs, *node.outputs)):
        return (
            "Turn strings into numbers before the function: in `dataset.map`, with a `tf.lookup` table "
            "or a preprocessing layer."
        )
    if op.sized_by_data:
        return (
            "Keep the size: compute on everything and mask (`tf.where(condition, x, 0.0)`), in "
            "place of selecting elements."
        )
    return "Move it out of the function, or into `dataset.map`."


# --- input pipelines


def starving(watch: Watch) -> Iterator[Finding]:
    """Pipelines for whose elements the program waited. Those of one stage are one finding."""
    groups: dict[tuple[str, str], list[Input]] = defaultdict(list)
    for found in watch.inputs:
        if found.reads > 1:  # nobody can prepare the first element while the one before it is in use
            groups[place(found.reader)].append(found)
    for (where, line), inputs in groups.items():
        waited = sum(found.waited for found in inputs)
        whole = sum(found.last - found.first for found in inputs)
        if waited < max(WAITING_SECONDS, WAITING_SHARE * whole):
            continue
        slowest = max(inputs, key=lambda found: found.waited)
        report = slowest.timed.report(slowest.last - slowest.first)
        stage, stages = report.bottleneck, slowest.timed.values
        at = report.stages.index(stage)
        made = place(watch.made_at.get(stages[at]))
        reads = sum(found.reads for found in inputs)
        what = (
            f"the program waited {waited:.2f} s for {reads} elements of its input, {waited / whole:.0%} of the time. "
            f"The slowest stage is {stage.name}, {1e3 * stage.seconds / max(stage.elements, 1):.1f} ms for each element"
        )
        if made[0] and made != (where, line):
            what += f"\n{made[0]}: {made[1]}"
        yield Finding(where, line, what, _input_remedy(stages, stages[at]), waited)


def _input_remedy(stages: list[DatasetValue], slowest: DatasetValue) -> str:
    """What helps a pipeline; its stages are listed from the end to the source."""
    advice = []
    if isinstance(slowest, Map):
        if any(node.record.opaque for node in slowest.function.graph.nodes):
            advice.append("its function runs Python code: write it with TensorFlow's ops")
        if not isinstance(slowest, ParallelMap):
            advice.append("map with `num_parallel_calls=tf.data.AUTOTUNE`")
        if any(isinstance(stage, Batch) for stage in stages[: stages.index(slowest)]):
            advice.append("map after `batch`, on whole batches")
    if isinstance(slowest, Generated) and slowest.calls_python:
        advice.append(
            "its generator runs Python code, one element at a time: let it yield only names or numbers, and load what "
            "they stand for in `map(num_parallel_calls=tf.data.AUTOTUNE)`"
        )
    if not any(isinstance(stage, Prefetch) for stage in stages):
        advice.append("end the pipeline with `.prefetch(tf.data.AUTOTUNE)`")
    if not any(isinstance(stage, (Cache, FileCache)) for stage in stages):
        advice.append("`.cache()` what is the same in every epoch")
    return "; ".join(advice or ["look at the stages: `print(tf.data.explain(dataset))`"]) + "."


# --- lines


def place(source: Source | None) -> tuple[str, str]:
    """A line as ("folder/file.py:12", its text); the path is relative where that is shorter."""
    if source is None:
        return "", ""
    code, number = source
    path = code.co_filename
    if os.path.isabs(path) and not (relative := os.path.relpath(path)).startswith(".."):
        path = relative
    return f"{path}:{number}", linecache.getline(code.co_filename, number).strip()
