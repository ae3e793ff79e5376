"""The interpreter: it defines what a function *means*.

It runs a function's instructions one by one on host values, with the same kernels as eager code. Control flow runs its
graphs; host nodes are simply called. Compiled programs are an optimization of regions of this, and are tested against
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reflow.core import errors
from reflow.core.context import entered_again, quietly, state, swapped
from reflow.core.failures import FAILURES
from reflow.core.tensor import HostObject, ndarray
from reflow.core.types import Value
from reflow.eager.execute import run_checks
from reflow.graph.graph import describe_source
from reflow.ops.kernels.control.flow import ABSENT
from reflow.ops.objections import described
from reflow.ops.shape_rules import NodeFacts, partial_value
from reflow.ops.xp import host as host_xp
from reflow.runtime.schedule import Env, Instruction, schedule_of

if TYPE_CHECKING:
    from reflow.graph.func_graph import FuncGraph
    from reflow.graph.graph import Graph
    from reflow.graph.node import Node


def host_value(value: Value) -> Value:
    """A value that host kernels accept: a NumPy array or a host object."""
    if type(value) is ndarray or isinstance(value, HostObject) or value is ABSENT:
        return value
    return np.asarray(value)


def interpret(graph: FuncGraph, values: Sequence[Value]) -> list:
    """Run a FuncGraph on raw values: its arguments, then its captures.

    Bodies of loops and branches are interpreted too.
    """
    schedule = schedule_of(graph)
    env: list = [None] * schedule.slots
    for slot, value in zip(schedule.inputs, values, strict=True):
        env[slot] = host_value(value)
    if state.interpreting and state.graph is None and not state.tapes:  # a branch, or an element of a dataset
        run_instructions(schedule.instructions, env, schedule.frees)
    else:
        with swapped(graph=None, tapes=(), interpreting=True):
            run_instructions(schedule.instructions, env, schedule.frees)
    return [env[s] for s in schedule.outputs]


def run_instructions(instructions: Sequence[Instruction], env: Env, frees: Sequence[tuple[int, ...]]) -> None:
    """Run instructions in an environment of slots; `frees` lists the slots to clear after each."""
    quiet = state.run
    for instruction, unused in zip(instructions, frees):
        op = instruction.op
        values = [env[s] for s in instruction.ins]
        try:
            if not op.plain:
                out = run_one(instruction, values)
            else:
                try:
                    out = quiet(op.kernel, host_xp, *values, **instruction.bound)
                except RuntimeError as error:
                    out = entered_again(error)(op.kernel, host_xp, *values, **instruction.bound)
        except (*FAILURES, errors.OpError) as error:
            raise located(instruction, values, error) from error
        outs = instruction.outs
        if op.single:
            env[outs[0]] = out
        else:
            for slot, value in zip(outs, out, strict=True):
                env[slot] = value
        for slot in unused:
            env[slot] = None


def run_one(instruction: Instruction, values: Sequence[Value]) -> Any:
    """Run an instruction that needs more than a kernel call.

    Checks, list arguments, host kernels, hidden random state.
    """
    op = instruction.op
    if op.checks:
        run_checks(op, values, instruction.attrs)
    args = op.group(values, instruction.attrs)
    if op.calls_back:
        return op.kernel(host_xp, *args, **instruction.bound)
    return quietly(op.kernel, host_xp, *args, **instruction.bound)


def located(instruction: Instruction, values: Sequence[Value], error: Exception) -> Exception:
    """The error that TensorFlow would raise, naming the node and the user's line."""
    node = instruction.node
    if isinstance(error, errors.OpError):
        if "[[{{node" in error._message:
            return error
        kind, message = type(error), error._message
    else:
        kind, message = described(instruction.op, lambda: _facts(instruction, values), error)
    definition = None if called_function(node) else node.node_def
    return kind(definition, node, execution_error(node, message))


def called_function(node: Node) -> Graph | None:
    """The function whose call runs a node, not the body of a loop in it; None if a session runs the node."""
    graph = node.graph
    while getattr(graph.parent, "building_function", False):
        graph = graph.parent
    return graph if graph.building_function and not graph.runs_in_session else None


def execution_error(node: Node, message: str) -> str:
    """TensorFlow's text for an error while a graph runs: the user's own line first."""
    where, function = describe_source(node), called_function(node)
    name = node.name if function else f"'{node.name}'"
    detected = f"Detected at node {name} defined at (most recent call last):\n{where}\n" if where else ""
    called = f" [Op:__inference_{function.name}]" if function else ""
    return f"Graph execution error:\n\n{detected}{message}\n\t [[{{{{node {node.name}}}}}]]{called}"


def _facts(instruction: Instruction, values: Sequence[Value]) -> NodeFacts:
    return NodeFacts(
        instruction.op, [t._dtype for t in instruction.node.inputs], [tuple(v.shape) for v in values],
        [partial_value(v) for v in values], instruction.attrs,
    )
