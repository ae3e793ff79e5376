"""`reflow.explain`: how a function runs, in words."""

from __future__ import annotations

from reflow.api.export import export
from reflow.graph.graph import describe_source


@export("explain")
def explain(function, *args, **kwargs) -> None:
    """Print the plan of a `tf.function` for these arguments: its programs, and what runs on the host between them and why.

    >>> import reflow as tf
    >>> explain(tf.function(lambda x: tf.sin(x) + 1.0, autograph=False), tf.constant(1.0))
    lambda: 3 instructions, 1 step
    1. program of 3 instructions: Const, Sin, AddV2
       inputs 1, outputs 1, variables read 0, written 0; compiled for 0 kinds of input
    """
    print(describe(function.get_concrete_function(*args, **kwargs).graph))


def describe(graph) -> str:
    """The plan of a function graph as text."""
    from reflow.compile import batched_rules, loops  # noqa: F401 - the lowering rules say what a program can hold
    from reflow.compile.cut import HostStep
    from reflow.compile.plan import Plan

    plan = graph.plans.get("plan") or Plan(graph)
    count = len(plan.steps)
    size = sum(len(step.instructions) for step in plan.steps)
    lines = [f"{graph.name}: {size} instructions, {count} step{'s' if count != 1 else ''}"]
    for number, step in enumerate(plan.steps, 1):
        if isinstance(step, HostStep):
            lines.append(f"{number}. on the host:")
            lines.extend(_host_line(plan, i) for i in step.instructions)
        else:
            lines.extend(_region_lines(number, step))
    return "\n".join(lines)


def _host_line(plan, instruction) -> str:
    why = plan.reasons.get(instruction) or (
        "it has effects or state" if instruction.op.stateful else "XLA cannot do it"
    )
    where = describe_source(instruction.node).split("\n")[0].strip()
    return f"   {instruction.op.name}: {why}" + (f" ({where})" if where else "")


def _region_lines(number, region) -> list:
    names = [i.op.name.removeprefix("Reflow>") for i in region.instructions]
    shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    compiled = sum(p.call is not None for p in region.programs.values())
    return [
        f"{number}. program of {len(names)} instructions: {shown}",
        f"   inputs {len(region.inputs)}, outputs {len(region.outputs)}, variables read {len(region.reads)}, written "
        f"{len(region.writes)}; compiled for {compiled} kinds of input",
    ]
