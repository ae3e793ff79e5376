"""The streams of stateful random ops in programs: each op's hidden counter is an entry of the program's state.

A program takes the streams of its random ops as one array of rows (key, counter's low half, counter's high half). A
draw reads its row and advances the counter, so branches and loops carry it like any written variable. How far draws
outside of control flow advance it is known when the program is built, so the host advances the cell by that much
without waiting. Only counters that a branch or a loop advances are returned as results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reflow.runtime.schedule import schedule_of

if TYPE_CHECKING:
    from reflow.core.types import Array
    from reflow.runtime.schedule import Instruction


class Streams:
    """The hidden counters of a region's random ops."""

    def __init__(self, instructions: Sequence[Instruction]) -> None:
        self.cells = list(dict.fromkeys(_cells(instructions)))

    def rows(self, advances: dict[int, Any] | None) -> np.ndarray:
        """The streams argument of a program call; advances the cells as far as is known (None:
        the program is not traced yet)."""
        taken = [cell.take((advances or {}).get(i) or 0) for i, cell in enumerate(self.cells)]
        return np.stack([np.concatenate(pair) for pair in taken])

    def settle(self, advances: dict[int, Any], fresh: bool, rows: Iterator[Array]) -> None:
        """After a call: store the returned counters, and advance the others if it was the first call."""
        for i, cell in enumerate(self.cells):
            blocks = advances.get(i, 0)
            if blocks is None:
                _, low, high = np.asarray(next(rows)).tolist()
                cell.counter = low | high << 64
            elif fresh:
                cell.take(blocks)


def _cells(instructions: Sequence[Instruction]) -> Iterator[Any]:
    for instruction in instructions:
        if instruction.op.hidden_counter:
            yield instruction.attrs["_counter"]
        for graph in instruction.graphs:
            yield from _cells(schedule_of(graph).instructions)
