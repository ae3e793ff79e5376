"""Runs functions on the host, by their plans. JAX is imported at the first function call, not with `import reflow`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reflow.core import fork
from reflow.core.context import state, swapped
from reflow.core.types import Value
from reflow.graph.derived import derived
from reflow.graph.func_graph import FuncGraph
from reflow.runtime.interpret import interpret
from reflow.runtime.schedule import schedule_of

if TYPE_CHECKING:
    from reflow.compile.plan import Plan


def run(graph: FuncGraph, values: Sequence[Value]) -> list[Value]:
    """Run a function graph on raw values, outside any graph under construction and invisible to tapes."""
    if state.direct is None and (state.graph is not None or state.tapes):
        with swapped(graph=None, tapes=()):
            return run(graph, values)
    if state.interpreting:
        fork.warn_interpreting()
        if schedule_of(graph).meets:
            return plan_of(graph).run(values)
        return interpret(graph, values)
    return plan_of(graph).run(values)


@derived
def plan_of(graph: FuncGraph) -> Plan:
    """The plan of a function graph."""
    load_rules()
    if schedule_of(graph).meets:
        from reflow.compile.concurrent import ConcurrentPlan

        return ConcurrentPlan(graph)
    from reflow.compile.plan import Plan

    return Plan(graph)


def load_rules() -> None:
    """Load the lowering rules, which determine what a program can contain. Needed before a plan is built."""
    if "jax" in sys.modules:  # the user's program may have started XLA
        fork.enter_xla()
    from reflow.compile import batched_rules, call_rules, loops  # noqa: F401 - each adds its rules to the records


def to_device(array: Any) -> Any:
    """A NumPy array as a device array."""
    import jax

    from reflow.ops.xp.xla.base import wide_types

    with wide_types():
        return jax.device_put(array)
