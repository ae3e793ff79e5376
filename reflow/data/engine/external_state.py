"""State outside of a pipeline: variables, random counters and Python code that a pipeline's functions use.

A saved position does not hold it, so an iterator that is restored may go on differently. What a program wants then is
its `ExternalStatePolicy`: to be warned, not to be told, or an error.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from reflow.core import dtypes, errors
from reflow.core.logging import warn
from reflow.data.engine.values import DatasetValue, Function, Generated

WARN, IGNORE, FAIL = 0, 1, 2  # TensorFlow's numbers of the policies


def check(dataset: DatasetValue, policy: int) -> None:
    """Apply a policy to a dataset whose position is about to be saved.

    FailedPreconditionError, a warning, or nothing.
    """
    found = None if policy == IGNORE else next(_external(dataset), None)
    if found is None:
        return
    if policy == FAIL:
        raise errors.FailedPreconditionError(None, None, f"{found} is stateful.")
    warn(f"The position of an iterator is saved without the state of {found}, on which its dataset depends.")


def _external(x: Any) -> Iterator[str]:
    """The names of ops in the functions of a pipeline that use state outside of it."""
    if isinstance(x, Function):
        yield from _in_graph(x.graph)
    elif isinstance(x, Generated) and x.calls_python:
        yield "PyFunc"
    elif isinstance(x, DatasetValue):
        yield from _external(list(vars(x).values()))
    elif isinstance(x, (list, tuple)):
        for item in x:
            yield from _external(item)


def _in_graph(graph: Any) -> Iterator[str]:
    for node in graph.nodes:
        record = node.record
        makes_dataset = any(t.dtype is dtypes.variant for t in node.outputs)
        state = record.definition.stateful and (record.reads or record.writes) and not (record.effect or makes_dataset)
        if record.opaque or record.hidden_counter or state:
            yield record.name
        elif makes_dataset and any(inspect.isfunction(value) for value in node.attrs.values()):  # a Python generator
            yield "PyFunc"
        for value in node.attrs.values():
            for inner in value if isinstance(value, list) else [value]:
                if hasattr(inner, "nodes"):
                    yield from _in_graph(inner)
