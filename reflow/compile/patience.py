"""Decides how often a region is interpreted before it is compiled.

Compiling a region takes as long as interpreting it some hundred times: 300 ms and 0.6 for a training step of an MLP
with Adam, 40 ms and 0.1 for twenty small layers. Many functions are called only a few times. So a cheap region is
interpreted until its calls have taken about an eighth of what compiling takes; for one with loops, convolutions or
large arrays that is at the second call. Both times are estimates, from the number of instructions and the sizes of
their arrays. No clock is read, so the same seed gives the same numbers.

`REFLOW_COMPILE_AT=2` compiles every region at its second call. The tests run this way.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from reflow.ops.kernels.control.vjp import differentiated

if TYPE_CHECKING:
    from reflow.core.types import Value
    from reflow.runtime.schedule import Instruction

COMPILE_AT = 2  # the first call at which a key may be compiled: many never come again
LATEST = int(os.environ.get("REFLOW_COMPILE_AT") or 25)  # since the estimates are rough
PART = 8

# Microseconds, on a core of about 3 GHz.
PROGRAM, COMPILED = 20_000.0, 2_000.0  # to compile a program, and for each instruction
CALL = 3.0  # of a kernel on the host
ELEMENT, OTHER_ELEMENT = 0.001, 0.02  # elementwise or of a variable, and of all other kinds (drawn, sorted, gathered…)
MULTIPLY_ADD = 0.0001


def due(instructions: Sequence[Instruction], inputs: Sequence[int], values: Sequence[Value]) -> int:
    """The call at which a region is compiled for inputs like these.

    Args:
      instructions: those of the region.
      inputs: the slots of its inputs.
      values: their values.
    """
    if LATEST <= COMPILE_AT or any(i.op.flow for i in instructions):
        return COMPILE_AT
    sizes = _Sizes(instructions, dict(zip(inputs, values, strict=True)))
    compiling = PROGRAM + COMPILED * len(instructions)
    return min(max(math.ceil(compiling / PART / sum(map(sizes.interpreting, instructions))), COMPILE_AT), LATEST)


class _Sizes:
    """About how many elements tensors have in a call.

    An axis of unknown length is as long as the longest such axis of an input.
    """

    def __init__(self, instructions: Iterable[Instruction], values: dict[int, Value]) -> None:
        shapes = {slot: np.shape(value) for slot, value in values.items() if hasattr(value, "shape")}
        given = [
            (t._dims, shapes[s]) for i in instructions for s, t in zip(i.ins, i.node.inputs, strict=True) if s in shapes
        ]
        self.axis = max([n for dims, shape in given for d, n in zip(dims or (), shape) if d is None], default=1)
        self.whole = max(map(math.prod, shapes.values()), default=1)  # of what has no known rank

    def of(self, dims: Sequence[int | None] | None) -> int:
        return self.whole if dims is None else math.prod([self.axis if d is None else d for d in dims])

    def interpreting(self, instruction: Instruction) -> float:
        """How long it takes to interpret an instruction, in microseconds."""
        op = differentiated(instruction.op, instruction.attrs) or instruction.op
        node = instruction.node
        sizes = sorted([self.of(t._dims) for t in (*node.inputs, *node.outputs)], reverse=True)
        if op.heavy:  # for matrices of n by k and k by m, the product of all three sizes is the square of n * k * m
            return CALL + MULTIPLY_ADD * math.sqrt(math.prod(sizes[:3]))
        light = op.elementwise or op.moves or op.reads or op.writes
        return CALL + (ELEMENT if light else OTHER_ELEMENT) * max(sizes, default=0)
