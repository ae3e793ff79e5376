"""`tf.function.experimental_get_compiler_ir`: XLA's input and output for a function."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax

from reflow.compile.partition import HostStep
from reflow.compile.region import Region
from reflow.compile.runner import plan_of
from reflow.core.tensor import Tensor
from reflow.core.types import Value
from reflow.ops.xp.xla.base import wide_types

if TYPE_CHECKING:
    from reflow.function.concrete import ConcreteFunction


STAGES = ("hlo", "hlo_serialized", "optimized_hlo", "optimized_hlo_serialized", "optimized_hlo_dot")


def compiler_ir(concrete: ConcreteFunction, tensors: Sequence[Tensor]) -> Callable[[str], Any]:
    """A function of the stage that returns the program of a trace for arguments like `tensors`, as text or bytes."""
    graph = concrete.graph
    plan = plan_of(graph)
    if any(isinstance(step, HostStep) for step in plan.steps) or len(plan.steps) > 1:
        raise ValueError(f"The function {graph.name} is not one program, so there is no compiler IR of it.")
    env: list = [None] * plan.schedule.slots
    for slot, tensor in zip(plan.schedule.inputs, [*tensors, *concrete.captured_inputs], strict=True):
        env[slot] = tensor._value

    def show(stage: str = "hlo") -> Any:
        if stage not in STAGES:
            valid = ", ".join(repr(s) for s in STAGES)
            raise ValueError(f"Invalid stage selected: '{stage}'. Valid values are: {valid}")
        with wide_types():
            lowered = _lowered(plan.steps[0], env)
            if stage == "hlo":
                return lowered.as_text("hlo")
            if stage == "hlo_serialized":
                return lowered.compiler_ir("hlo").as_serialized_hlo_module_proto()
            compiled = lowered.compile()
            if stage == "optimized_hlo":
                return compiled.as_text()
            if stage == "optimized_hlo_serialized":
                return compiled.runtime_executable().hlo_modules()[0].as_serialized_hlo_module_proto()
            return dot(compiled.as_text())

    return show


def _lowered(region: Region, env: list[Value]) -> Any:
    values = [env[s] for s in region.inputs]
    written, read = ([env[s].read() for s in slots] for slots in (region.writes, region.reads))
    inputs = [*values, region.streams.rows({})] if region.streams.cells else values
    return jax.jit(region.function_again({i: values[i] for i in region.static})).lower(written, read, inputs)


def dot(text: str) -> str:
    """HLO text as a graph for Graphviz: an edge from each operand to its user.

    >>> print(dot("  %b = f32[] add(%a, %a)"))
    digraph {
      "a" -> "b [add]";
      "a" -> "b [add]";
    }
    """
    lines = []
    names: dict = {}
    for name, op, operands in re.findall(r"%?([\w.-]+) = [^=]*? ([\w-]+)\(([^)]*)\)", text):
        names[name] = f"{name} [{op}]"
        lines += [f'  "{names.get(o, o)}" -> "{names[name]}";' for o in re.findall(r"%([\w.-]+)", operands)]
    return "\n".join(["digraph {", *lines, "}"])
