"""A graph as a JAX function: the basis of `reflow.to_jax` and the inference engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

from reflow.compile.region import Region
from reflow.compile.runner import plan_of
from reflow.core.errors import InvalidArgumentError
from reflow.graph.clone import clone
from reflow.graph.func_graph import FuncGraph

Arrays = Sequence[Any]


def whole_function(
    graph: FuncGraph, reads_variables: bool = False, native: bool = True
) -> Callable[[Arrays, Arrays], list[Any]] | None:
    """A graph as a JAX function of its captures and inputs.

    None if it is not one program, changes variables or draws random numbers. If allowed, variables that it reads become
    constants of the program, with their values at the time of the call. Without `native` it calls none of our kernels.
    """
    copy = clone(graph)
    copy.jit_compile = True
    try:
        plan = plan_of(copy)
    except InvalidArgumentError:
        return None
    if len(plan.steps) != 1 or not isinstance(plan.steps[0], Region):
        return None
    region, schedule = plan.steps[0], plan.schedule
    if (region.reads and not reads_variables) or region.writes or region.streams.cells:
        return None
    on_cpu = jax.default_backend() == "cpu"
    region.on_host = on_cpu and native
    region.joins_calls = False  # the engine fuses steps itself, and matches them one by one
    region.unchecked = not on_cpu  # also: matrix units take 16-bit floats directly

    def function(captures: Arrays, inputs: Arrays) -> list[Any]:
        values = dict(zip(schedule.inputs, [*inputs, *captures], strict=True))
        variables = [values[s].read() for s in region.reads]
        results = region.function_again({})([], variables, [values[s] for s in region.inputs])
        values.update(zip(region.outputs, results, strict=True))
        return [values[s] for s in schedule.outputs]

    return function
