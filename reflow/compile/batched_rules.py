"""Lowering of `Reflow>VMap`: `jax.vmap` of the lowered graph.

Inputs without rows stay outside the map, so known values stay known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax import lax

from reflow.compile.branch_rules import plain, written_refs
from reflow.compile.lowering import MakeHost, NeedsValue, as_array, rule
from reflow.core.context import swapped
from reflow.runtime.batched import vmap

if TYPE_CHECKING:
    from reflow.compile.lowering import Lowering
    from reflow.core.types import Array, Value
    from reflow.runtime.schedule import Instruction


@rule(vmap)
def _vmap(lowering: Lowering, instruction: Instruction, values: Sequence[Value]) -> list[Array]:
    graph, batched = instruction.attrs["f"], instruction.attrs["batched"]
    moving = [as_array(v) for v, b in zip(values, batched, strict=True) if b]
    counts = {v.shape[0] for v in moving}
    if counts == {0} or len(counts) > 1:  # XLA cannot reduce zero rows; the host reports unequal counts as an error
        raise MakeHost(instruction, f"it maps over {sorted(counts)} rows")

    def row(items: Any) -> Any:
        scope, given = lowering.child(), iter(items)
        full = [next(given) if b else v for v, b in zip(values, batched, strict=True)]
        outs = [plain(o) for o in scope.run_graph(graph, full)]
        if written_refs(lowering.state, scope.state):
            raise MakeHost(instruction, "its rows write variables")
        return outs, as_array(scope.code, np.dtype(np.int32))

    try:
        with swapped(native=False):
            outs, codes = jax.vmap(row)(moving)
    except NeedsValue as need:
        raise MakeHost(instruction, f"in its rows {str(need).rstrip('.')}") from None
    except MakeHost as inner:
        if inner.instruction is instruction:
            raise
        raise MakeHost(instruction, f"its rows hold {inner}", inner.refused) from None
    except TypeError as error:
        raise MakeHost(instruction, f"its rows do not fit a program: {str(error)[:200]}") from None
    lowering.code = lax.reduce_max(codes, (0,))
    return list(outs)
