"""Loops in parts: several threads run a loop side by side, each on its part of every array, from the first iteration to the last.

The steps of a recurrent layer are too short to be shared one by one: threads would wait for each other hundreds of times in a call, and whenever
the system lets one of them wait. But rows of a batch do not know of each other. So a loop is cut: part i of n of a step writes the i-th of n
equal parts of its result. That is right if it reads, of all that the loop writes, nothing but i-th parts too, and whether it does
follows from the step's shape and strides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from reflow.engine import encoding as code
from reflow.engine.encoding import Place, Step, of_loop
from reflow.engine.views import Buffer

#: where a step has its first axis; the number before it is that of its axes
FIRST_AXIS = {code.COPY: 2, code.SELECT: 2, code.MAP: 3, code.COMBINE: 3, code.REDUCE: 3, code.PRODUCT: 2}


class CannotCut(Exception):
    """Some part of a loop needs another one."""


def in_parts(loop: Step, threads: int) -> Step:
    """The loop as a step of parts, as many as fit up to `threads`; the loop itself if it cannot be cut."""
    for parts in range(threads, 1, -1):
        try:
            written = _written(loop)
            return [code.TOGETHER, parts, *(_part(loop, i, parts, written) for i in range(parts))]
        except CannotCut:
            continue
    return loop


def work(step: Step) -> int:
    """Multiply-adds of products, and numbers that other steps write, in all iterations of a loop."""
    if step[0] == code.LOOP:
        return step[1] * sum(map(work, of_loop(step)[1]))
    return math.prod(step[2 : 5 + step[1]]) if step[0] == code.PRODUCT else step[-1].buffer.size


def _written(loop: Step) -> set[Buffer]:
    """What one iteration writes and the same or the next one may read. Stacks of results are not among it: only the caller reads them."""
    _, inner, results = of_loop(loop)
    if any(step[0] == code.LOOP for step in inner):
        raise CannotCut("a loop in a loop")
    return {step[-1].buffer for step in inner} | {to.buffer for _, _, to, stride in results if stride == 0}


def _part(loop: Step, part: int, parts: int, written: set[Buffer]) -> Step:
    windows, inner, results = of_loop(loop)
    cut = [_cut(step, part, parts) for step in inner]
    for step in cut:
        for place, low, high in _reach(step):
            _inside(place.buffer, low, high, part, parts, written)
    left = []
    for size, source, to, stride in results:
        n = _share(size, parts)
        source, to = _moved(source, part * n), _moved(to, part * n)
        for place in (source, to):
            _inside(place.buffer, place.offset, place.offset + n - 1, part, parts, written)
        left.append([n, source, to, stride])
    return [*loop[:5], *windows, *cut, *left]


def _share(n: int, parts: int) -> int:
    if n % parts:
        raise CannotCut(f"{n} in {parts} parts")
    return n // parts


def _moved(place: Place, offset: int) -> Place:
    return Place(place.buffer, place.offset + offset, place.strides)


def _inside(buffer: Buffer, low: int, high: int, part: int, parts: int, written: set[Buffer]) -> None:
    """Look that numbers of a buffer that the loop writes belong to this part."""
    if buffer in written:
        n = _share(buffer.size, parts)
        if low < part * n or high >= (part + 1) * n:
            raise CannotCut(f"part {part} reaches the numbers {low} to {high} of {buffer.size}")


def _cut(step: Step, part: int, parts: int) -> Step:
    """The part of a step that goes along a part of its first axis."""
    if step[0] == code.FILL:
        _, size, value, out = step
        n = _share(size, parts)
        return [code.FILL, n, value, _moved(out, part * n)]
    at, product = FIRST_AXIS[step[0]], step[0] == code.PRODUCT
    rank = step[at - 1]
    if not rank and not product:
        raise CannotCut("a single number")
    n, made = _share(step[at], parts), list(step)
    made[at] = n
    places = [i for i, value in enumerate(step) if isinstance(value, Place)]
    for i in places:
        place = step[i]
        if not place.strides:  # a whole result
            made[i] = _moved(place, part * _share(place.buffer.size, parts))
        elif not (product and not rank and i == places[1]):  # each row of a product needs the whole right operand
            made[i] = _moved(place, part * n * place.strides[0])
    return made


def _reach(step: Step) -> Iterator[tuple[Place, int, int]]:
    """The places of a step, each with the first and the last number of its buffer that it touches."""
    places = [value for value in step if isinstance(value, Place)]
    numbers = [value for value in step if not isinstance(value, Place)]
    if step[0] == code.FILL:
        yield places[0], places[0].offset, places[0].offset + step[1] - 1
        return
    at = FIRST_AXIS[step[0]]
    shape, *rest = numbers[at : at + numbers[at - 1]], *numbers[at + numbers[at - 1] :]
    shapes = [shape] * len(places)
    written = shape
    if step[0] == code.PRODUCT:
        rows, depth, columns, _ = rest
        shapes, written = [[*shape, rows, depth], [*shape, depth, columns]], [*shape, rows, columns]
    elif step[0] == code.REDUCE:
        shapes = [[*shape, *rest[1:]]]
    for place, own in zip(places, [*shapes, written] if len(shapes) < len(places) else shapes):
        if place.strides:
            ends = [(n - 1) * stride for n, stride in zip(own, place.strides)]
            yield place, place.offset + sum(e for e in ends if e < 0), place.offset + sum(e for e in ends if e > 0)
        else:
            yield place, place.offset, place.offset + math.prod(written) - 1
