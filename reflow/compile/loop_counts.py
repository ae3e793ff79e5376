"""Finds the number of iterations of a loop before it runs.

Most loops count: their condition depends on integers that are known when the program is built, and on what the body
does to them. That slice of the loop runs here on the host, in NumPy, and every value it takes is recorded. So the trip
count is known, and each index computed from the counter becomes a known sequence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reflow.core.context import quietly
from reflow.ops import registry
from reflow.ops.kernels.control.flow import truth
from reflow.ops.xp import host as host_xp

if TYPE_CHECKING:
    from reflow.core.types import Value
    from reflow.graph.func_graph import FuncGraph
    from reflow.graph.symbolic import SymbolicTensor

AND = registry.get("LogicalAnd")
LIMIT = 100_000  # iterations; each costs about 10 µs here
SMALL = 16  # elements of a value worth tracking


class Count:
    """A loop's iterations: how many, and the values of the counted loop variables in each (`sequences`) and at the end
    (`finals`)."""

    def __init__(self, trips: int, sequences: dict, finals: dict) -> None:
        self.trips, self.sequences, self.finals = trips, sequences, finals


def count_iterations(
    cond: FuncGraph, body: FuncGraph, values: Sequence[Value], changing: Sequence[int]
) -> Count | None:
    """Run what the condition depends on; None if that includes state or unknown values."""
    counted = _counted(body, values, changing)
    tests = [cond.outputs[0]]
    return _run(cond, body, values, changing, tests) if _known_tests(cond, tests, values, changing, counted) else None


def bound_iterations(cond: FuncGraph, body: FuncGraph, values: Sequence[Value], changing: Sequence[int]) -> int | None:
    """An upper bound on the iterations: the condition is `counted and more`, as `maximum_iterations` makes it."""
    counted = _counted(body, values, changing)
    tests = [t for t in _conjuncts(cond.outputs[0]) if _known_tests(cond, [t], values, changing, counted)]
    count = _run(cond, body, values, changing, tests) if tests else None
    return None if count is None else count.trips


def followed(
    count: Count, body: FuncGraph, values: Sequence[Value], changing: Sequence[int], tensor: SymbolicTensor
) -> list | None:
    """The value of a body tensor in each iteration; None if it depends on more than the counted variables."""
    needed = depends(body, [tensor])
    if not _follows(needed, count.sequences, values, changing):
        return None
    fixed = {i: values[i] for i in needed or () if i not in count.sequences}
    rows = ({i: sequence[row] for i, sequence in count.sequences.items()} for row in range(count.trips))
    return [host_values(body, fixed | row, [tensor])[0] for row in rows]


def decisive(cond: FuncGraph, body: FuncGraph, values: Sequence[Value], changing: Sequence[int]) -> list:
    """The unknown loop variables whose initial values determine the trip count.

    None if the loop does not count integers.
    """
    found: set = set()
    more = depends(cond, [cond.outputs[0]])
    while more is not None and not more <= found:
        found |= more
        later = [depends(body, [body.outputs[i]]) for i in found if i in changing]
        more = None if None in later else {i for some in later for i in some or ()}
    if more is None or any(np.dtype(values[i].dtype).kind not in "iub" for i in found):
        return []
    return [i for i in sorted(found) if not isinstance(values[i], np.ndarray)]


def _conjuncts(tensor: SymbolicTensor) -> list[SymbolicTensor]:
    """The operands of nested `and`s."""
    if tensor.op.record is AND:
        return [t for x in tensor.op.inputs for t in _conjuncts(x)]
    return _conjuncts(tensor.op.inputs[0]) if tensor.op.record.identity else [tensor]


def _known_tests(
    cond: FuncGraph, tests: Sequence[SymbolicTensor], values: Sequence[Value], changing: Sequence[int],
    counted: Collection[int],
) -> bool:
    needed = depends(cond, tests)
    return needed is not None and _follows(needed, counted, values, changing)


def _run(
    cond: FuncGraph, body: FuncGraph, values: Sequence[Value], changing: Sequence[int], tests: Sequence[SymbolicTensor]
) -> Count | None:
    """Run the counted part of a loop until one of the tests fails."""
    counted = _counted(body, values, changing)
    now = {i: v for i, v in enumerate(values) if i in counted or i not in changing}
    after = [body.outputs[i] for i in counted]
    seen: dict = {i: [] for i in counted}
    for trips in range(LIMIT + 1):
        if not all(map(truth, host_values(cond, now, tests))):
            sequences = {i: np.stack(s) if s else np.zeros((0,)) for i, s in seen.items()}
            return Count(trips, sequences, {i: now[i] for i in counted})
        for i in counted:
            seen[i].append(now[i])
        now.update(zip(counted, host_values(body, now, after), strict=True))
    return None


def _counted(body: FuncGraph, values: Sequence[Value], changing: Sequence[int]) -> list:
    """The changing loop variables that are known at the start and computed only from such variables."""
    counted = {i for i in changing if isinstance(values[i], np.ndarray) and values[i].size <= SMALL}
    counted = {i for i in counted if values[i].dtype.kind in "iub"}
    while True:
        kept = {i for i in counted if _follows(depends(body, [body.outputs[i]]), counted, values, changing)}
        if kept == counted:
            return sorted(counted)
        counted = kept


def _follows(
    sources: Iterable[int] | None, counted: Collection[int], values: Sequence[Value], changing: Sequence[int]
) -> bool:
    if sources is None:
        return False
    return all(i in counted or i not in changing and isinstance(values[i], np.ndarray) for i in sources)


def depends(graph: FuncGraph, tensors: Iterable[SymbolicTensor]) -> set | None:
    """The inputs that some tensors of a graph depend on through small pure ops; otherwise None."""
    places = {t._id: i for i, t in enumerate(graph.inputs)}
    found: set = set()
    seen: set = set()
    stack = list(tensors)
    while stack:
        tensor = stack.pop()
        if tensor._id in places:
            found.add(places[tensor._id])
            continue
        node = tensor.op
        if node in seen:
            continue
        seen.add(node)
        if not node.record.plain or node.record.stateful:
            return None
        stack.extend(node.inputs)
    return found


def host_values(
    graph: FuncGraph, values: Sequence[Value] | dict[int, Value], tensors: Iterable[SymbolicTensor]
) -> list:
    """Values of some tensors of a graph, computed on the host from known inputs (a map from their positions)."""
    env = {t._id: values[i] for i, t in enumerate(graph.inputs) if i in values}

    def value(tensor: SymbolicTensor) -> Any:
        if tensor._id not in env:
            node = tensor.op
            env[tensor._id] = quietly(node.record.call, host_xp, [value(t) for t in node.inputs], node.attrs)
        return env[tensor._id]

    return [value(t) for t in tensors]
