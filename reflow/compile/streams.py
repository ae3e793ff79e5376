"""The streams of stateful random ops in programs: the hidden counter of each is an entry of the program's state.

A program takes the streams of its random ops as one array of rows (key, counter's low half, counter's high half). A draw
reads its row and moves the counter on, so branches and loops carry it like any written variable. How far the draws outside of
control flow move it is known when the program is made, and the host moves the cell on by that much without waiting; only
counters that a branch or a loop moves come back as results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reflow.graph.clone import graphs_in
from reflow.runtime.schedule import schedule_of

if TYPE_CHECKING:
    from reflow.core.types import Array
    from reflow.runtime.schedule import Instruction


class Streams:
    """The hidden counters of a region's random ops."""

    def __init__(self, instructions: Sequence[Instruction]) -> None:
        self.cells = list(dict.fromkeys(_cells(instructions)))

    def rows(self, advances: dict[int, Any] | None) -> np.ndarray:
        """What a call of a program takes; moves the cells on by what is known of it (None: it is not traced yet)."""
        taken = [cell.take((advances or {}).get(i) or 0) for i, cell in enumerate(self.cells)]
        return np.stack([np.concatenate(pair) for pair in taken])

    def settle(self, advances: dict[int, Any], fresh: bool, rows: Iterator[Array]) -> None:
        """After a call: store the counters that came back, and move on the others if the call was the first."""
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
        for graph in graphs_in(instruction.attrs):
            yield from _cells(schedule_of(graph).instructions)
