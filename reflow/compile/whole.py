"""`jit_compile=True`: what is rejected, and with which message.

TensorFlow passes such a function to XLA whole: an op without an XLA kernel is an error that names it, asserts are
dropped (`runtime/schedule.py`), and nothing is checked. TensorFlow's XLA has arrays of bounded size, so a `tf.where`
can be in the middle; JAX has none. Ops that need them (`jit="between"` in their record) run here on the host between
two programs, like a loop or branch that contains one. The results are the same, and `reflow.explain` shows the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reflow.compile.partition import lowerable
from reflow.core.errors import InvalidArgumentError
from reflow.runtime.schedule import schedule_of

if TYPE_CHECKING:
    from reflow.core.dtypes import DType
    from reflow.graph.func_graph import FuncGraph
    from reflow.runtime.schedule import Instruction, Schedule


def refused(schedule: Schedule) -> list:
    """The instructions of a schedule that TensorFlow's XLA does not support either, including those in loops and
    branches.

    Expressions of constants are folded before XLA sees them, so they may contain strings if the function does not
    return them.
    """
    found: list = []
    constant: set = set()  # slots
    strings = {s for s in schedule.outputs if schedule.dtypes[s].kind == "s"}
    for i in schedule.instructions:
        if not i.op.stateful and (i.ins or i.op.plain) and constant.issuperset(i.ins):
            constant.update(i.outs)
        if not i.outs or not constant.issuperset(i.outs) or strings.intersection(i.outs):
            found.extend(_refused(i, schedule.dtypes))
    return found


def _refused(instruction: Instruction, dtypes: Sequence[DType]) -> list:
    graphs = instruction.graphs
    if graphs:
        return [found for graph in graphs for found in refused(schedule_of(graph))]
    own = [dtypes[s] for s in (*instruction.ins, *instruction.outs)]
    taken = instruction.op.jit == "between" and all(d.kind != "s" for d in own)
    return [] if taken or lowerable(instruction, own) else [instruction]


def refusal(graph: FuncGraph, instructions: Sequence[Instruction], why: str) -> Exception:
    """The error for a function that cannot be compiled: each op with the user's line, and what to do."""
    ops = ", ".join(dict.fromkeys(f"{i.op.name} ({{{{node {i.node.name}}}}})" for i in instructions))
    places = dict.fromkeys(i.node.origin() for i in instructions)
    return InvalidArgumentError(
        None,
        instructions[0].node,
        f"Detected unsupported operations when trying to compile graph __inference_{graph.name}[_XlaMustCompile=true]: "
        f"{ops}: {why}.\nThe op is created at:\n"
        f"{''.join(places)}Leave out jit_compile=True: everything that XLA can do is compiled then too. Or move these "
        "ops out of the function.",
    )
