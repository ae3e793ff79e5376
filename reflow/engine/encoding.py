"""Encodes a network as a list of numbers for `reflow/native/steps.h`: its steps, and where its buffers are.

A *step* is a list of numbers, references to places and, in a loop, further steps. Once all are known, buffers are
placed in the scratch memory: one that is no longer read makes room for the next. Buffers that a loop shares with other
steps are in use until it ends.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reflow.engine.views import ARGUMENTS, CONSTANTS, SCRATCH, Buffer, View, merged
from reflow.native.network import in_panels

FILL, COPY, MAP, COMBINE, SELECT, REDUCE, PRODUCT, LOOP, TOGETHER, CONVOLVE = range(10)
#: the order of the functions in `steps.h`, by the names of JAX' primitives
UNARY = (
    *("abs", "neg", "sqrt", "rsqrt", "square", "exp", "log", "log1p", "logistic", "tanh"),
    *("expm1", "erf", "sign", "floor", "ceil", "round", "not"),
)
BINARY = ("add", "sub", "mul", "div", "max", "min", "pow", "eq", "ne", "lt", "le")
REDUCTIONS = ("reduce_sum", "reduce_prod", "reduce_max", "reduce_min")
MOST_AXES = 8
ALIGNMENT = 16  # numbers: 64 bytes


@dataclass(frozen=True)
class Place:
    """A buffer, a distance from its beginning, and the strides of an array that begins there."""

    buffer: Buffer
    offset: int = 0
    strides: tuple[int, ...] = ()


Step = list[Any]  # of int, Place, Step, and Buffer for a window, of which only the memory counts


class CannotEncode(Exception):
    """A network has something that no step does."""


def bits(number: float) -> int:
    """A float32 as a number of the list."""
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


def number_of(bits_: int) -> float:
    """The float32 of which a number of the list has the bits."""
    return float(struct.unpack("<f", struct.pack("<I", bits_))[0])


def strided(code: Sequence[int], views: Sequence[View], out: View | None) -> Step:
    """A step on views of one shape. A result is a whole buffer: it needs no strides."""
    shape, strides = merged(views)
    if len(shape) > MOST_AXES:
        raise CannotEncode(f"an array of {len(shape)} axes")
    places = [Place(v.buffer, v.offset, tuple(s)) for v, s in zip(views, strides)]
    return [*code, len(shape), *shape, *places, *([Place(out.buffer)] if out is not None else [])]


def matrix(view: View, batch: Sequence[int], rows: Sequence[int], columns: Sequence[int]) -> Place | None:
    """The place of a view whose axes are those of a batch, of rows and of columns.

    None if rows or columns have no single stride.
    """
    (_, [row]), (_, [column]) = (merged([view.like(_axes(view.array, axes))]) for axes in (rows, columns))
    if len(row) > 1 or len(column) > 1:
        return None
    return Place(view.buffer, view.offset, (*(view.array.strides[a] for a in batch), *(row or [0]), *(column or [0])))


def _axes(array: np.ndarray, axes: Sequence[int]) -> np.ndarray:
    """The first of all other axes: an array of these axes alone."""
    first = array[tuple(slice(None) if a in axes else 0 for a in range(array.ndim))]
    return first.transpose([sorted(axes).index(a) for a in axes])


def of_loop(loop: Step) -> tuple[list[Step], list[Step], list[Step]]:
    """Windows, steps and results of a loop."""
    _, _, windows, results, steps, *rest = loop
    return rest[:windows], rest[windows : windows + steps], rest[windows + steps : windows + steps + results]


def places(step: Step) -> Iterator[Place]:
    """All places of a step, those inside a loop too."""
    for part in step:
        if isinstance(part, Place):
            yield part
        elif isinstance(part, list):
            yield from places(part)


# --- memory


class Memory:
    """Room of one size after the other, the lowest that is free."""

    def __init__(self) -> None:
        self.size = 0
        self._free: list[tuple[int, int]] = []  # offset and size, in order

    def take(self, size: int) -> int:
        size = -(-size // ALIGNMENT) * ALIGNMENT
        for i, (offset, room) in enumerate(self._free):
            if room >= size:
                self._free[i : i + 1] = [(offset + size, room - size)] if room > size else []
                return offset
        self.size += size
        return self.size - size

    def give_back(self, offset: int, size: int) -> None:
        size = -(-size // ALIGNMENT) * ALIGNMENT
        joined: list[tuple[int, int]] = []
        for at, room in sorted([*self._free, (offset, size)]):
            if joined and sum(joined[-1]) == at:
                joined[-1] = (joined[-1][0], joined[-1][1] + room)
            else:
                joined.append((at, room))
        self._free = joined


def allocate(steps: Sequence[Step]) -> int:
    """Give the buffers of steps that have no place yet one; the size of the scratch memory."""
    memory = Memory()
    _allocate(steps, memory, Counter(place.buffer for step in steps for place in places(step)))
    return memory.size


def _allocate(steps: Sequence[Step], memory: Memory, uses: Counter[Buffer]) -> None:
    """Places for the buffers of steps that follow each other.

    `uses`: how many places each buffer has in the whole network.
    """
    last = {place.buffer: i for i, step in enumerate(steps) for place in places(step)}
    ends: dict[int, list[tuple[int, int]]] = {}
    for i, step in enumerate(steps):
        for loop in _loops(step):
            size, offset = _allocate_inside(loop, memory, uses)
            ends.setdefault(i, []).append((offset, size))
        for place in places(step):
            if place.buffer.memory == SCRATCH and place.buffer.offset < 0:
                place.buffer.offset = memory.take(place.buffer.size)
                ends.setdefault(last[place.buffer], []).append((place.buffer.offset, place.buffer.size))
        for room in ends.get(i, ()):
            memory.give_back(*room)


def _loops(step: Step) -> list[Step]:
    return [step] if step[0] == LOOP else step[2:] if step[0] == TOGETHER else []


def _allocate_inside(loop: Step, memory: Memory, uses: Counter[Buffer]) -> tuple[int, int]:
    """Places for the buffers that only the steps of a loop use: they make room within an iteration.

    The size of all, and their offset.
    """
    _, inner, results = of_loop(loop)
    steps: list[Step] = [*inner, [COPY, *(source for _, source, _, _ in results)]]
    here = Counter(place.buffer for step in steps for place in places(step))
    own = [b for b, n in here.items() if uses[b] == n and b.memory == SCRATCH and b.offset < 0]
    others = [b for b in here if b.memory == SCRATCH and b.offset < 0 and uses[b] != here[b]]
    for buffer in others:
        buffer.offset = 0  # for now: they have places outside
    room = Memory()
    _allocate(steps, room, uses)
    offset = memory.take(room.size)
    for buffer in own:
        buffer.offset += offset
    for buffer in others:
        buffer.offset = -1
    return room.size, offset


def encoded(
    steps: Sequence[Step], arguments: Sequence[int], windows: Sequence[int], constants: int, shared: bool
) -> list[int]:
    """The list: number of memories and of arguments, sizes of memories, whether threads are worth while,
    number of steps, steps."""
    sizes = [constants, allocate(steps), *arguments, *windows]
    return [len(sizes), len(arguments), *sizes, shared, len(steps), *(n for step in steps for n in _numbers(step))]


def _numbers(step: Step) -> Iterator[int]:
    for part in step:
        if isinstance(part, Place):
            yield from (part.buffer.memory, part.buffer.offset + part.offset, *part.strides)
        elif isinstance(part, list):
            yield from _numbers(part)
        elif isinstance(part, Buffer):
            yield part.memory
        else:
            yield int(part)


class Constants:
    """The known numbers of a network, side by side."""

    def __init__(self) -> None:
        self._views: dict[int, tuple[np.ndarray, View]] = {}
        self._known: dict[Buffer, np.ndarray] = {}
        self._panels: dict[Any, View] = {}
        self.size = 0

    def view(self, array: np.ndarray) -> View:
        """Where a known array is. What a broadcast repeats is kept once."""
        if id(array) not in self._views:
            core = array[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in array.strides)]
            buffer = Buffer(core.size, CONSTANTS, self.size)
            room = -(-core.size // ALIGNMENT) * ALIGNMENT  # a vector that spans two cache lines takes two loads
            self._known[buffer] = np.zeros(room, np.float32)
            self._known[buffer][: core.size] = core.reshape(-1)
            self.size += room
            made = View(buffer, np.broadcast_to(buffer.shadow.reshape(core.shape), array.shape))
            self._views[id(array)] = (array, made)  # with the array, so that its id stays its own
        return self._views[id(array)][1]

    def numbers(self, place: Place, shape: Sequence[int]) -> np.ndarray:
        """The known numbers at a place, as an array of this shape."""
        known = self._known[place.buffer][place.offset :]
        return np.lib.stride_tricks.as_strided(
            known, tuple(shape), [s * known.itemsize for s in place.strides], writeable=False
        )

    def panels(self, place: Place, shape: Sequence[int], columns: int) -> View:
        """A known matrix in panels (`reflow/native/network.py`); the same ones for all who ask."""
        key = (place, *shape)
        if key not in self._panels:
            self._panels[key] = self.view(in_panels(self.numbers(place, shape), columns))
        return self._panels[key]

    def keep(self, steps: Sequence[Step]) -> None:
        """Let go of what no step reads."""
        read = {place.buffer for step in steps for place in places(step) if place.buffer.memory == CONSTANTS}
        self._known = {buffer: array for buffer, array in self._known.items() if buffer in read}
        self.size = 0
        for buffer, array in self._known.items():
            buffer.offset = self.size
            self.size += array.size

    def array(self) -> np.ndarray:
        return np.concatenate([*self._known.values(), np.zeros(0, np.float32)])


def argument(number: int, size: int) -> Buffer:
    return Buffer(size, ARGUMENTS + number, 0)
