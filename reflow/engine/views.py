"""Arrays of a small network that does not exist yet: *buffers*, which will be placed in memory, and *views* of them.

NumPy does the arithmetic of views: a buffer has a *shadow* of one byte per element, which is never read or written. A
slice, a transposition or a broadcast of a view is applied to its shadow, which gives offset and strides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

#: the memories of `reflow/native/steps.h`; after them come the arguments, then the windows of loops
CONSTANTS, SCRATCH, ARGUMENTS = 0, 1, 2
WINDOW = -1  # until the number of arguments is known


@dataclass(eq=False)
class Buffer:
    """Room for numbers. Where it is, is decided when all steps are known, but for constants, arguments and windows."""

    size: int
    memory: int = SCRATCH
    offset: int = -1
    shadow: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.shadow = np.zeros(self.size, np.int8)  # memory that is never touched

    def view(self, shape: Sequence[int]) -> View:
        """All of it in this shape."""
        return View(self, self.shadow.reshape(tuple(shape)))


@dataclass(frozen=True, eq=False)
class View:
    """Some of a buffer's numbers in some shape."""

    buffer: Buffer
    array: np.ndarray  # of the shadow

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def offset(self) -> int:
        """Of the first number in its buffer."""
        return self.array.__array_interface__["data"][0] - self.buffer.shadow.__array_interface__["data"][0]

    @property
    def is_run(self) -> bool:
        """Whether its elements are contiguous."""
        return self.array.flags.c_contiguous

    @property
    def is_whole(self) -> bool:
        return self.is_run and self.array.size == self.buffer.size

    def like(self, array: np.ndarray) -> View:
        """Another view of the buffer."""
        return View(self.buffer, array)

    def reshaped(self, shape: Sequence[int]) -> View | None:
        """The same numbers in another shape; None if only a copy can have it."""
        made = self.array.reshape(tuple(shape))
        return self.like(made) if np.may_share_memory(made, self.buffer.shadow) else None


def merged(views: Sequence[View]) -> tuple[list[int], list[list[int]]]:
    """Views of one shape with as few axes as will do: the lengths, and the strides of each view. Axes of one number go,
    and so do those that continue the next one in all views."""
    shape: list[int] = []
    strides: list[list[int]] = [[] for _ in views]
    for axis, n in enumerate(views[0].shape):
        if n == 1:
            continue
        steps = [view.array.strides[axis] for view in views]
        if shape and all(own[-1] == step * n for own, step in zip(strides, steps)):
            shape[-1] *= n
            for own, step in zip(strides, steps):
                own[-1] = step
        else:
            shape.append(n)
            for own, step in zip(strides, steps):
                own.append(step)
    return shape, strides
