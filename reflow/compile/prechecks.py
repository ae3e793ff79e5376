"""Checks that run on the host before a program starts.

A check inside a program costs an output and, worse, makes every call wait for its result: the Python code of the next
step no longer overlaps with the computation of this one. Most checks only read shapes and integers that come straight
from the inputs (labels, token ids). Those are evaluated on the host first. That takes a few microseconds, and a failure
leaves all state unchanged. The integers may have been floats in between: Keras casts everything that a model is given
to float32, and casts labels and token ids back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from reflow.compile.recompute import producers
from reflow.core import errors
from reflow.core.context import quietly
from reflow.ops.shape_facts import ShapeOnly
from reflow.ops.xp import host as host_xp
from reflow.runtime.interpret import execution_error, host_value

if TYPE_CHECKING:
    from reflow.compile.region import Region
    from reflow.core.types import Value
    from reflow.ops.protocols import Check
    from reflow.runtime.schedule import Instruction

MAX_SLICE = 8  # instructions between the inputs and a checked value
MAX_ELEMENTS = 1 << 20


class PreCheck:
    """One check of one instruction, and how to compute its arguments on the host."""

    def __init__(self, region: Region, instruction: Instruction, check: Check, values: Sequence[Value]) -> None:
        self.instruction, self.check = instruction, check
        self.steps: list = []
        self.constants: dict = {}  # slot -> value
        self.planned: dict[int, bool] = {}  # slot -> whether the host can compute it
        place = {slot: i for i, slot in enumerate(region.inputs)}
        made_by = producers(region.instructions)
        self.sources = []
        for slot, value in zip(instruction.ins, values, strict=True):
            found = isinstance(value, np.ndarray) or self._plan(slot, place, made_by)
            known = value if isinstance(value, np.ndarray) else self.constants.get(slot)
            self.sources.append(known if known is not None else slot if found else ShapeOnly(value.shape, value.dtype))
        direct = all(position is not None for _, position in self.steps) and not instruction.op.has_lists
        self.direct = [(place.get(s) if isinstance(s, int) else None, s) for s in self.sources] if direct else None

    def _plan(self, slot: int, place: dict[int, int], made_by: dict[int, Instruction]) -> bool:
        """Append the instructions that compute an integer slot from the inputs; False if that is not possible or not
        cheap.
        """
        if slot not in self.planned:
            self.planned[slot] = self._compute(slot, place, made_by)
        return self.planned[slot]

    def _compute(self, slot: int, place: dict[int, int], made_by: dict[int, Instruction]) -> bool:
        if slot in place:
            self.steps.append((slot, place[slot]))
            return True
        maker = made_by.get(slot)
        if maker is None or len(self.steps) >= MAX_SLICE or not _simple(maker):
            return False
        if not all(self._plan(s, place, made_by) for s in maker.ins):
            return False
        if all(s in self.constants for s in maker.ins):
            self.constants[slot] = maker.op.call(host_xp, [self.constants[s] for s in maker.ins], maker.attrs)
            return True
        if not maker.op.plain:
            return False
        self.steps.append((maker, None))
        return True

    def arguments(self, inputs: Sequence[Value]) -> list:
        if self.direct is not None:  # the inputs themselves: nearly always
            return [source if at is None else host_value(inputs[at]) for at, source in self.direct]
        env = dict(self.constants)
        for step, position in self.steps:
            if position is not None:
                env[step] = host_value(inputs[position])
            else:
                env[step.outs[0]] = quietly(step.op.kernel, host_xp, *[env[s] for s in step.ins], **step.bound)
        flat = [env[s] if isinstance(s, int) else s for s in self.sources]
        return self.instruction.op.group(flat, self.instruction.attrs)

    def run(self, inputs: Sequence[Value]) -> None:
        """Raise InvalidArgumentError if the check fails on these inputs."""
        args = self.arguments(inputs)
        for ok, message in quietly(self.check, host_xp, self.instruction.attrs, *args):
            if not ok:
                text = message(*args) if callable(message) else message
                raise errors.InvalidArgumentError(
                    None, self.instruction.node, execution_error(self.instruction.node, text)
                )


def _simple(maker: Instruction) -> bool:
    """Whether an instruction is cheap, and gives the same on the host as in a program.

    It computes with integers, moves values or casts them.
    """
    op, given, made = maker.op, maker.node.inputs, maker.node.outputs
    if op.stateful or op.has_lists or op.host or op.from_shapes or not op.single:
        return False
    if not given or op.moves or all(t._dtype.kind in "iub" for t in (*given, *made)):
        return True
    return op.elementwise and len(given) == 1 and given[0]._dtype is not made[0]._dtype


def precheck(
    region: Region, candidate: tuple[Instruction, Check, Sequence[Value]], inputs: Sequence[Value]
) -> PreCheck | None:
    """A PreCheck that works for this key, tried on the current inputs.

    None if the check needs more than the host has.
    """
    instruction, check, values = candidate
    if instruction not in region.instructions:
        return None
    made = PreCheck(region, instruction, check, values)
    if all(isinstance(s, ShapeOnly) for s in made.sources):
        return None
    try:
        args = made.arguments(inputs)
        if any(isinstance(a, np.ndarray) and a.size > MAX_ELEMENTS for a in args):
            return None
        found = [bool(ok) for ok, _ in quietly(check, host_xp, instruction.attrs, *args)]
    except (AttributeError, TypeError, ValueError, IndexError, KeyError):
        return None
    # without a finding for these inputs there may still be one for values that the program computes
    return made if found else None
