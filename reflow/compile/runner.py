"""Installs plans as the way functions run. JAX is imported when the first function is called, not with `import reflow`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reflow.core.context import state
from reflow.graph import func_graph
from reflow.graph.derived import derived
from reflow.graph.func_graph import FuncGraph
from reflow.runtime.interpret import interpret

if TYPE_CHECKING:
    from reflow.compile.plan import Plan


def run(graph, values):
    """Run a function graph on raw values, outside any graph under construction and unseen by tapes."""
    outer = state.graph, state.tapes
    state.graph, state.tapes = None, ()
    try:
        if state.interpreting:
            return interpret(graph, values)
        return plan_of(graph).run(values)
    finally:
        state.graph, state.tapes = outer


@derived
def plan_of(graph: FuncGraph) -> Plan:
    """How a function graph runs."""
    from reflow.compile import batched_rules, call_rules, loops  # noqa: F401 - the lowering rules say what a program can hold
    from reflow.compile.plan import Plan

    return Plan(graph)


def to_device(array):
    """A NumPy array as a device array."""
    import jax

    from reflow.ops.xp.xla.base import wide_types

    with wide_types():
        return jax.device_put(array)


func_graph.install_runner(run)
