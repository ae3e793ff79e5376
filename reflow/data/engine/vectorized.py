"""Functions that run once for many elements: those of a `map` before `batch` or `shuffle`, and of a `filter`.

An element of a few numbers costs about 15 µs, nearly all of it Python overhead. A stateless function whose ops all have
a batching rule (`Op.batch`) gives the same rows when it runs on all of them at once (`runtime/batched.py`). On failure
it runs again row by row, so that errors are those of an element.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from reflow.core import dtypes
from reflow.core.context import swapped
from reflow.core.types import Value
from reflow.data.engine.batches import stack
from reflow.data.engine.values import Function
from reflow.graph.func_graph import FuncGraph
from reflow.runtime.batched import run_batched

#: bytes of an element from which on its numbers cost more than its calls, and a batch of them leaves the cache
LARGE = 1 << 15
NOT_NUMBERS = (dtypes.string, dtypes.variant, dtypes.resource)


def vectorizes(function: Function) -> bool:
    """Whether the function may be run on many elements at once."""
    graph = function.graph
    # a subclass runs more than its graph
    if type(function) is not Function or not isinstance(graph, FuncGraph) or not graph.outputs:
        return False
    elements = graph.inputs[: len(graph.inputs) - len(function.captured)]
    given = {t.op for t in graph.inputs}
    return _small(elements) and all(node in given or _batches(node) for node in graph.nodes)


def cannot_fail(function: Function) -> bool:
    """Whether the function of elements that `vectorizes` accepts has a value for each, whatever its numbers are."""
    return not any(node.record.checks for node in function.graph.nodes)


def _small(tensors: Sequence[Any]) -> bool:
    """Whether these tensors are numbers whose sizes are known and small."""
    for t in tensors:
        if t._dims is None or None in t._dims or t._dtype in NOT_NUMBERS:
            return False
    return bool(tensors) and sum(math.prod(t._dims) * t._dtype.size for t in tensors) < LARGE


def _batches(node: Any) -> bool:
    record = node.record
    return not (record.stateful or record.host or node.waits) and (record.batch is not None or not node.inputs)


def next_block(source: Any, function: Function, count: int) -> tuple[int, list[Value]]:
    """The function of the next elements of an iterator, `count` of them or what is left, stacked."""
    block = getattr(source, "next_block", None)
    if block is not None:
        count, rows = block(count)
    else:
        elements = list(itertools.islice(source, count))
        count, rows = len(elements), stack(elements) if elements else []
    if count == 0:
        return 0, []
    return count, applied(function, rows)


def applied(function: Function, rows: Sequence[Any]) -> list[Value]:
    """The function of each row, stacked. Rows are tried one by one if it fails, so that the error is that of a row."""
    return of_rows(function, rows) or stack([function([c[i, ...] for c in rows]) for i in range(len(rows[0]))])


def of_rows(function: Function, rows: Sequence[Value]) -> list[Value] | None:
    """The function of each row, stacked.

    None if it fails: running it on the failing element then raises TensorFlow's error.
    """
    captured = function.captured
    try:
        with swapped(graph=None, tapes=()):
            return run_batched(function.graph, [*rows, *captured], [True] * len(rows) + [False] * len(captured))
    except Exception:  # noqa: BLE001 - as above
        return None
