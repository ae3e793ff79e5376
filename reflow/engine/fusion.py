"""Sums that products take over: where a product is added to an array, it adds itself.

`x + h @ w + b`, which every recurrent layer has in its loop, would be a product and two sums. It becomes one sum, `x + b`, onto which
the product is added: a step less, and a large array goes to memory once less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reflow.engine import encoding as code
from reflow.engine.encoding import BINARY, Place, Step, of_loop, places
from reflow.engine.views import SCRATCH, Buffer

SUM = [code.COMBINE, BINARY.index("add")]


def accumulating(steps: Sequence[Step], uses: Counter[Buffer] | None = None) -> list[Step]:
    """The steps, in loops too, with products that add themselves to what they were added to.

    Args:
      steps: as they are translated. A buffer is written before anything reads it.
      uses: how many places each buffer has in the whole network, if these are the steps of a loop.
    """
    uses = Counter(place.buffer for step in steps for place in places(step)) if uses is None else uses
    made: list[Step] = []
    for step in steps:
        if step[0] == code.LOOP:
            windows, inner, results = of_loop(step)
            fused = accumulating(inner, uses)
            made.append([*step[:4], len(fused), *windows, *fused, *results])
        elif step[:2] != SUM or not any(_taken_over(made, step, operand, uses) for operand in (-3, -2)):
            made.append(step)
    return made


def _taken_over(made: list[Step], step: Step, operand: int, uses: Counter[Buffer]) -> bool:
    """Let a product do a sum, of which one operand is its result and nothing else reads that; False if there is no such product."""
    shape, out = step[3 : 3 + step[2]], step[-1]
    run = _strides_of_run(shape)
    if step[operand] != Place(step[operand].buffer, 0, run) or step[operand].buffer.memory != SCRATCH:
        return False
    buffer, other = step[operand].buffer, step[-5 - operand]
    at = next((i for i in range(len(made) - 1, -1, -1) if made[i][0] == code.PRODUCT and made[i][-1].buffer is buffer), None)
    if at is None or uses[buffer] != 2 or buffer.size != out.buffer.size:
        return False
    product = made[at]
    if not product[5 + product[1]]:
        first: Step = [code.COPY, len(shape), *shape, other, Place(out.buffer, 0, run)]
    else:  # it adds itself to the copy of an array: that becomes a sum
        copy = made[at - 1]
        if copy[-2].strides != _strides_of_run(copy[2 : 2 + copy[1]]):
            return False
        first = [*SUM, len(shape), *shape, Place(copy[-2].buffer, copy[-2].offset, run), other, out]
        del made[at - 1]
    made.remove(product)
    made += [first, [*product[: 5 + product[1]], 1, *product[6 + product[1] : -1], out]]
    return True


def _strides_of_run(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of an array whose numbers lie one after the other."""
    strides = [1]
    for n in shape[:0:-1]:
        strides.insert(0, strides[0] * n)
    return tuple(strides[: len(shape)])
