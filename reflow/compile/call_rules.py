"""Lowering of calls to a function with `jit_compile` from one without. (All other calls are inlined beforehand.)

As in TensorFlow, nothing in such a function is checked. If it does not fit into the surrounding region, the call
becomes a host step, which compiles the function separately or rejects it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reflow.compile.lowering import MakeHost, NeedsValue, rule
from reflow.ops.kernels.control.flow import CALLS

if TYPE_CHECKING:
    from reflow.compile.lowering import Lowering
    from reflow.core.types import Array, Value
    from reflow.runtime.schedule import Instruction


@rule(*CALLS)
def _call(lowering: Lowering, instruction: Instruction, values: Sequence[Value]) -> list[Array]:
    root = lowering.root
    checked, root.skip_checks = root.skip_checks, True
    try:
        return lowering.run_graph(instruction.attrs["f"], values)
    except NeedsValue as need:
        raise MakeHost(instruction, f"in the function {str(need).rstrip('.')}") from None
    except MakeHost as inner:
        raise MakeHost(instruction, f"the function holds {inner}") from None
    finally:
        root.skip_checks = checked
