"""Fuses steps, so that an array goes to memory one time less, and lays out constants for the kernels.

Where a product is added to an array, it accumulates into that array: `x + h @ w + b`, which every recurrent layer has
in its loop, would be a product and two sums. It becomes one sum, `x + b`, into which the product accumulates. A
convolution adds its bias and another array, and clamps its results (ReLU, ReLU6), before it writes them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from reflow.engine import encoding as code
from reflow.engine.encoding import BINARY, Constants, Place, Step, bits, number_of, of_loop, places
from reflow.engine.views import CONSTANTS, SCRATCH, Buffer

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
    """Fuse a sum into a product whose result is one of its operands and has no other use.

    False if there is no such product.
    """
    shape, out = step[3 : 3 + step[2]], step[-1]
    run = _strides_of_run(shape)
    if step[operand] != Place(step[operand].buffer, 0, run) or step[operand].buffer.memory != SCRATCH:
        return False
    buffer, other = step[operand].buffer, step[-5 - operand]
    at = next(
        (i for i in range(len(made) - 1, -1, -1) if made[i][0] == code.PRODUCT and made[i][-1].buffer is buffer), None
    )
    if at is None or uses[buffer] != 2 or buffer.size != out.buffer.size:
        return False
    product = made[at]
    if not product[5 + product[1]] & ADDS:
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
    """The strides of a contiguous array."""
    strides = [1]
    for n in shape[:0:-1]:
        strides.insert(0, strides[0] * n)
    return tuple(strides[: len(shape)])


# --- convolutions

# in a convolution's step: whether it has a bias and another array, its limits; its image and weights, these two
FLAGS, OPERANDS = 23, 27
UNLIMITED = [bits(-np.inf), bits(np.inf)]
MAX, MIN = BINARY.index("max"), BINARY.index("min")


def finishing(steps: Sequence[Step], constants: Constants) -> list[Step]:
    """Fuses into convolutions the steps that only use their results.

    The sum with a bias or with an array, and limits.
    """
    uses = Counter(place.buffer for step in steps for place in places(step))
    made: list[Step] = []
    for step in steps:
        if step[0] != code.COMBINE or not any(_finished(made, step, operand, uses, constants) for operand in (-3, -2)):
            made.append(step)
    return made


def _finished(made: list[Step], step: Step, operand: int, uses: Counter[Buffer], constants: Constants) -> bool:
    """Fuse a step into a convolution whose result is one of its operands and has no other use; False if it cannot."""
    buffer, shape = step[operand].buffer, step[3 : 3 + step[2]]
    if buffer.memory != SCRATCH or uses[buffer] != 2 or step[operand] != Place(buffer, 0, _strides_of_run(shape)):
        return False
    conv = next((s for s in reversed(made) if s[0] == code.CONVOLVE and s[-1].buffer is buffer), None)
    changed = None if conv is None else _with(conv, step[1], step[-5 - operand], shape, constants)
    if changed is None:
        return False
    made[:] = [s for s in made if s is not conv]
    made.append([*changed[:-1], step[-1]])
    return True


def _with(conv: Step, kind: int, other: Place, shape: Sequence[int], constants: Constants) -> Step | None:
    """A convolution that combines its result with another array; None if that is none of the things it does."""
    biased, more, low, high = conv[FLAGS:OPERANDS]
    image, weights, *rest = conv[OPERANDS:-1]
    known = other.buffer.memory == CONSTANTS
    if kind in (MAX, MIN) and known and not any(other.strides):
        number, least, most = float(constants.numbers(other, shape).flat[0]), number_of(low), number_of(high)
        least, most = (max(least, number), most) if kind == MAX else (least, min(most, number))
        if not least <= most:  # `convolve.h` applies the lower limit first; NaN is no limit
            return None
        return [*conv[:FLAGS], biased, more, bits(least), bits(most), *conv[OPERANDS:]]
    if kind != BINARY.index("add") or [low, high] != UNLIMITED:
        return None
    filters, columns = conv[10], conv[1]
    if known and shape[-1:] == [filters] and other.strides == (*[0] * (len(shape) - 1), 1):
        bias = np.zeros(-(-filters // columns) * columns, np.float32)
        bias[:filters] = constants.numbers(other, shape)[(0,) * (len(shape) - 1)]
        if biased:
            bias += constants.numbers(Place(rest[0].buffer, 0, (1,)), bias.shape)
        place = Place(constants.view(bias).buffer)
        return [*conv[:FLAGS], 1, more, *conv[FLAGS + 2 : OPERANDS], image, weights, place, *rest[biased:], conv[-1]]
    if not more and other.strides == _strides_of_run(shape):
        return [
            *conv[:FLAGS], biased, 1, *conv[FLAGS + 2 : OPERANDS], image, weights, *rest,
            Place(other.buffer, other.offset), conv[-1],
        ]
    return None


# --- constants

ADDS, IN_PANELS = 1, 2  # what a product's number says


def in_panels_where_known(steps: Sequence[Step], constants: Constants, columns: int) -> list[Step]:
    """The steps, in loops too, with constant right operands of products in panels."""
    made: list[Step] = []
    for step in steps:
        if step[0] == code.LOOP:
            windows, inner, results = of_loop(step)
            step = [*step[:5], *windows, *in_panels_where_known(inner, constants, columns), *results]
        elif step[0] == code.TOGETHER:
            step = [*step[:2], *in_panels_where_known(step[2:], constants, columns)]
        elif step[0] == code.PRODUCT and not step[1] and step[-2].buffer.memory == CONSTANTS:
            weights = constants.panels(step[-2], step[3:5], columns)
            step = [*step[:5], step[5] | IN_PANELS, step[6], Place(weights.buffer), step[-1]]
        made.append(step)
    return made
