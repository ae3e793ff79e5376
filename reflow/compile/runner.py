"""Installs plans as the way functions run. JAX is imported when the first function is called, not with `import reflow`."""

from __future__ import annotations

from reflow.core.context import state
from reflow.graph import func_graph
from reflow.runtime.interpret import interpret


def run(graph, values):
    """Run a function graph on raw values, outside any graph under construction and unseen by tapes."""
    outer = state.graph, state.tapes
    state.graph, state.tapes = None, ()
    try:
        if state.interpreting:
            return interpret(graph, values)
        return _run_plan()(graph, values)
    finally:
        state.graph, state.tapes = outer


def _run_plan():
    global _run_plan
    from reflow.compile import batched_rules, call_rules, loops, plan

    _ = batched_rules, call_rules, loops
    _run_plan = lambda: plan.run_plan  # noqa: E731 - the import happens once
    return plan.run_plan


def to_device(array):
    """A NumPy array as a device array."""
    import jax

    from reflow.ops.xp.xla.base import wide_types

    with wide_types():
        return jax.device_put(array)


func_graph.install_runner(run)
