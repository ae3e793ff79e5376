"""Looking backwards through a region: which inputs a value is computed from, and computing it again on the host."""

from __future__ import annotations

import numpy as np

from reflow.core.context import state
from reflow.ops import host_numpy
from reflow.runtime.interpret import host_value

#: ops whose result depends on the shape of their input, not on its value
SHAPE_ONLY = frozenset({"Shape", "ShapeN", "Size", "Rank", "TensorListLength", "VariableShape"})


def producers(instructions) -> dict:
    return {slot: i for i in instructions for slot in i.outs}


def value_sources(region, instruction, need):
    """Positions of the region's inputs whose values a static operand is computed from; None if it is computed from state."""
    made_by = producers(region.instructions)
    place = {slot: i for i, slot in enumerate(region.inputs)}
    if instruction not in region.instructions:
        return None
    start = [instruction.ins[need.index]] if need.index is not None else list(instruction.ins[1:])
    found: set = set()
    seen: set = set()
    stack = list(start)
    while stack:
        slot = stack.pop()
        if slot in place:
            found.add(place[slot])
            continue
        maker = made_by.get(slot)
        if maker is None or maker in seen:
            if maker is None:
                return None
            continue
        seen.add(maker)
        if maker.op.name in SHAPE_ONLY or maker.op.name == "Const":
            continue
        if maker.op.stateful or maker.op.host:
            return None
        stack.extend(maker.ins)
    return found


def recompute(instructions, instruction, env):
    """The host values of an instruction's inputs, from the region's inputs; None if they depend on state or control flow."""
    made_by = producers(instructions)
    known: dict = {}

    def value(slot):
        if slot in known:
            return known[slot]
        maker = made_by.get(slot)
        if maker is None:
            known[slot] = host_value(env[slot])
        elif maker.op.name == "Const":
            known[slot] = maker.attrs["value"]
        elif maker.op.stateful or maker.op.host:
            raise LookupError
        else:
            out = state.run(maker.op.call, host_numpy, [value(s) for s in maker.ins], maker.attrs)
            outs = [out] if maker.op.single else out
            known.update(zip(maker.outs, outs, strict=True))
        return known[slot]

    try:
        return [_or_empty(value, s) for s in instruction.ins]
    except (LookupError, RecursionError):
        return None


def _or_empty(value, slot):
    out = value(slot)
    return np.asarray(out) if isinstance(out, np.generic) else out
