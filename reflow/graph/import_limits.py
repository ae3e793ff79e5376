"""Limits on what a graph from a file may request, checked before anything is built.

A small file can declare a lot. Constants repeat their last value up to their declared size. Functions that call others
twice, which call others twice, expand exponentially. Both are counted here and compared with limits that the user can
raise (`reflow/core/limits.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from reflow.core import limits
from reflow.graph.proto_values import repeated_bytes
from reflow.ops.registry import REGISTRY

Proto = Any


def check_constants(nodes: Iterable[tuple[str, Proto]]) -> None:
    """Reject constants that declare far more than the file holds; `nodes` are (place, NodeDef) pairs."""
    total = 0
    for _, node in nodes:
        for name in _tensor_attributes(node.op):
            if name in node.attr:
                total += repeated_bytes(node.attr[name].tensor)
    excess = limits.excess("REFLOW_MAX_CONSTANT_BYTES", total)
    if excess:
        raise ValueError(f"The constants of the graph repeat values up to {excess}.")


def _tensor_attributes(op: str) -> list[str]:
    record = REGISTRY.get(op)
    return [] if record is None else [a.name for a in record.definition.attrs.values() if a.type == "tensor"]


def check_calls(order: Iterable[str], nodes: Mapping[str, int], calls: Mapping[str, Iterable[str]]) -> None:
    """Reject functions that are too large once every call is inlined, as it is when they run.

    `order` lists the functions, callees first; `nodes` and `calls` give the number of nodes of each, and its callees.
    """
    sizes: dict[str, int] = {}
    for name in order:
        sizes[name] = nodes[name] + sum(sizes[callee] for callee in calls[name])
        allowed = limits.limit("REFLOW_MAX_GRAPH_NODES")
        if sizes[name] > allowed:
            raise ValueError(
                f"The function '{name}' stands for {sizes[name]} nodes when its calls are written out, more than the "
                f"limit of {allowed} (the environment variable REFLOW_MAX_GRAPH_NODES sets it)."
            )
