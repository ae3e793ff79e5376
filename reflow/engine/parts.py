"""Parallel loops: several threads run a loop, each on its part of every array, from the first iteration to the last.

The steps of a recurrent layer are too short to be shared one by one: threads would wait for each other hundreds of
times per call, and whenever the system suspends one of them. But the rows of a batch are independent. So a loop is
split: part i of n of a step writes the i-th of n equal parts of its result. That is correct if, of everything the loop
writes, it reads only i-th parts too, which can be derived from the step's shape and strides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from reflow.engine import encoding as code
from reflow.engine.encoding import Place, Step, of_loop, places
from reflow.engine.views import CONSTANTS, SCRATCH, WINDOW, Buffer

#: where a step has its first axis; the number before it is that of its axes
FIRST_AXIS = {code.COPY: 2, code.SELECT: 2, code.MAP: 3, code.COMBINE: 3, code.REDUCE: 3, code.PRODUCT: 2}


#: where the step of a convolution has the shapes of its images and of its result, and its first place
IMAGE, RESULT, FIRST_PLACE = 3, 11, 27


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
    if step[0] == code.CONVOLVE:
        return math.prod(step[7:10]) * math.prod(step[11:15])
    return math.prod(step[2 : 5 + step[1]]) if step[0] == code.PRODUCT else step[-1].buffer.size


def _written(loop: Step) -> set[Buffer]:
    """What one iteration writes and the same or the next one may read.

    Stacks of results are not among it: only the caller reads them.
    """
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
    if step[0] == code.CONVOLVE:
        return _cut_convolution(step, part, parts)
    at, product = FIRST_AXIS[step[0]], step[0] == code.PRODUCT
    rank = step[at - 1]
    if not rank and not product:
        raise CannotCut("a single number")
    n, made = _share(step[at], parts), list(step)
    made[at] = n
    places = [i for i, value in enumerate(step) if isinstance(value, Place)]
    for i in places:
        place = step[i]
        if not place.strides and place.buffer.memory != CONSTANTS:  # a whole result
            made[i] = _moved(place, part * _share(place.buffer.size, parts))
        elif not (product and not rank and i == places[1]):  # each row of a product needs the whole right operand
            made[i] = _moved(place, part * n * place.strides[0])
    return made


def _cut_convolution(step: Step, part: int, parts: int) -> Step:
    n, made = _share(step[IMAGE], parts), list(step)
    made[IMAGE] = made[RESULT] = n
    for i, place in enumerate(step):
        if isinstance(place, Place) and place.buffer.memory != CONSTANTS:
            size = math.prod(made[IMAGE : IMAGE + 4]) if i == FIRST_PLACE else math.prod(made[RESULT : RESULT + 4])
            made[i] = _moved(place, part * size)
    return made


def _reach(step: Step) -> Iterator[tuple[Place, int, int]]:
    """The places of a step, each with the first and the last number of its buffer that it touches."""
    places = [value for value in step if isinstance(value, Place)]
    numbers = [value for value in step if not isinstance(value, Place)]
    if step[0] == code.FILL:
        yield places[0], places[0].offset, places[0].offset + step[1] - 1
        return
    if step[0] == code.CONVOLVE:
        for place in (place for place in places if place.buffer.memory != CONSTANTS):
            first = IMAGE if place is step[FIRST_PLACE] else RESULT
            yield place, place.offset, place.offset + math.prod(step[first : first + 4]) - 1
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


# --- one image after the other


def by_image(steps: Sequence[Step], threads: int) -> tuple[list[Step], list[Buffer]]:
    """A network for images, of which the first steps run for one image after the other; the windows of these loops.

    The results of a layer for one image stay in the processor's cache until the next layer reads them, those of 16
    images do not: MobileNetV2 would take 54 MB for each image to memory and back. The price is that all weights are
    read again for each image. So this ends where no convolution follows that has more pixels than weights. Threads have
    images of their own, if there are as many for each.
    """
    end, batch = _more_pixels_than_weights(steps)
    first, rest = steps[:end], steps[end:]
    if batch < 2 or any(step[0] in (code.LOOP, code.TOGETHER) for step in first):
        return list(steps), []
    try:
        body = _of_one_image(first, batch)
    except CannotCut:
        return list(steps), []
    seen = {place.buffer for step in rest for place in places(step)}
    many = threads if batch % threads == 0 else 1
    loops, windows = [], list[Buffer]()
    for part in range(many):
        loop, own = _image_loop(body, part, many, batch, seen)
        loops.append(loop)
        windows += own
    return [loops[0] if many == 1 else [code.TOGETHER, many, *loops], *rest], windows


def _more_pixels_than_weights(steps: Sequence[Step]) -> tuple[int, int]:
    """How many steps there are up to the first with weights behind the last convolution that has more pixels than
    weights for each image, and how many images all convolutions have; 0 if they differ."""
    found = [(i, step) for i, step in enumerate(steps) if step[0] == code.CONVOLVE]
    batches = {step[IMAGE] for _, step in found}
    pixels = lambda s: math.prod(s[IMAGE + 1 : IMAGE + 4]) + math.prod(s[RESULT + 1 : RESULT + 4])
    large = [i for i, step in found if pixels(step) > math.prod(step[IMAGE + 4 : RESULT])]
    if not large or len(batches) > 1:
        return 0, 0
    weighty = (code.CONVOLVE, code.PRODUCT, code.LOOP, code.TOGETHER)
    end = next((i for i in range(large[-1] + 1, len(steps)) if steps[i][0] in weighty), len(steps))
    return end, batches.pop()


def _of_one_image(steps: Sequence[Step], batch: int) -> list[Step]:
    """The steps for the first image.

    The others are as far apart in each array as it is long: it is so for the last, and places grow evenly.
    """
    ends = [[_cut(step, part, batch) for step in steps] for part in (0, batch - 1)]
    arrays = {place.buffer for step in steps for place in places(step) if place.buffer.memory != CONSTANTS}
    for part, cut in zip((0, batch - 1), ends):
        for step in cut:
            for place, low, high in _reach(step):
                _inside(place.buffer, low, high, part, batch, arrays)
    known = [[place for step in cut for place in places(step) if place.buffer.memory == CONSTANTS] for cut in ends]
    if known[0] != known[1]:
        raise CannotCut("images have constants of their own")
    return ends[0]


def _image_loop(
    body: Sequence[Step], part: int, parts: int, batch: int, seen: set[Buffer]
) -> tuple[Step, list[Buffer]]:
    """A loop over some of the images, and its windows: on arguments, and on what later steps read (`seen`).

    Other arrays hold one image.
    """
    trips, own, windows = batch // parts, dict[Buffer, Buffer](), list[Step]()
    for place in (place for step in body for place in places(step)):
        buffer = place.buffer
        if buffer in own or buffer.memory == CONSTANTS:
            continue
        size = buffer.size // batch
        if buffer.memory == SCRATCH and buffer not in seen:
            own[buffer] = Buffer(size)
        else:
            own[buffer] = Buffer(size, WINDOW, 0)
            windows.append([own[buffer], Place(buffer, part * trips * size), size])

    def placed(step: Step) -> Step:
        return [Place(own.get(p.buffer, p.buffer), p.offset, p.strides) if isinstance(p, Place) else p for p in step]

    return (
        [code.LOOP, trips, len(windows), 0, len(body), *windows, *map(placed, body)],
        [window for window, _, _ in windows],
    )
