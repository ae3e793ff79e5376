"""`tensorflow.python.ops.while_v2`: loops as nodes that call functions, which all loops are here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reflow.core import nest
from reflow.function import control_flow


def while_loop(
    cond: Callable, body: Callable, loop_vars: Any, shape_invariants: Any = None, parallel_iterations: int = 10,
    maximum_iterations: Any = None, name: str | None = None, return_same_structure: bool = True,
    back_prop: bool = True,
) -> Any:
    """`tf.while_loop`; a single loop variable comes back bare unless `return_same_structure`."""
    out = control_flow.while_loop(
        cond, body, loop_vars, shape_invariants, parallel_iterations, back_prop, maximum_iterations=maximum_iterations,
        name=name,
    )
    flat = nest.flatten(out, expand_composites=True)
    return flat[0] if len(flat) == 1 and not return_same_structure else out
