"""`reflow.explain`: describes how a function runs, as text."""

from __future__ import annotations

from reflow.api.export import export
from reflow.compile.runner import plan_of
from reflow.function.retracing import brief, differences, named_leaves
from reflow.graph.graph import describe_source
from reflow.runtime.schedule import schedule_of


@export("explain")
def explain(function, *args, **kwargs) -> None:
    """Prints the plan of a `tf.function` for these arguments: its programs, what runs on the host in between, and why.

    Without arguments, for a function that has been called: its traces, what changed from one to the next, and the plan
    of the last.

    Args:
      function: A `tf.function`, or a trace of one.
      *args: Arguments that choose a trace.
      **kwargs: Keyword arguments that choose a trace.

    Returns:
      None.

    >>> @tf.function
    ... def wave(x):
    ...     return tf.sin(x) + 1.0
    >>> explain(wave, tf.constant(1.0))
    wave: 3 instructions, 1 step
    1. program of 3 instructions: Sin, Const, AddV2
       inputs 1, outputs 1, variables read 0, written 0; compiled for 0 kinds of input
    >>> cube = tf.function(lambda x, n: x**n)
    >>> cube(tf.constant(2), 2), cube(tf.constant(2), 3)
    (<tf.Tensor: shape=(), dtype=int32, numpy=4>, <tf.Tensor: shape=(), dtype=int32, numpy=8>)
    >>> explain(cube)  # doctest: +ELLIPSIS
    <lambda>: 2 traces
    1. x: int32[], n: 2
    2. n: 2 -> 3
    <lambda>: 2 instructions, 1 step
    ...
    """
    traces = getattr(function, "_structures", ())
    if not _wants_trace(function, args, kwargs):
        print("\n".join([f"{function.name}: {len(traces)} trace{'s' if len(traces) != 1 else ''}", *_traces(traces)]))
    print(describe(traced_graph(function, args, kwargs)))


def traced_graph(function, args, kwargs):
    """The graph of a function for these arguments; without any, that of its last trace."""
    if _wants_trace(function, args, kwargs):
        return function.get_concrete_function(*args, **kwargs).graph
    return function._structures[-1][1].graph


def _wants_trace(function, args, kwargs) -> bool:
    """Whether a trace is chosen by the arguments, and not the last one taken."""
    return bool(
        args or kwargs or not getattr(function, "_structures", ())
        or getattr(function, "input_signature", None) is not None
    )


def _traces(traces) -> list[str]:
    """A line for each trace: the arguments of the first, and what changed since."""
    lines: list[str] = []
    before = None
    for number, (structure, concrete) in enumerate(traces, 1):
        names = concrete.argument_names
        changes: list | None = None if before is None else differences(before, structure, names)
        if changes is None:
            shown = [f"{path}: {brief(leaf)}" for path, leaf in named_leaves(structure, names)]
        else:
            shown = [f"{path}: {brief(old)} -> {brief(new)}" for path, old, new in changes]
        lines.append(f"{number}. {', '.join(shown) or 'no arguments'}")
        before = structure
    return lines


def describe(graph) -> str:
    """The plan of a function graph as text.

    A loop or branch on the host runs the plans of its bodies, which follow it.
    """
    plan = plan_of(graph)
    from reflow.compile.partition import HostStep  # JAX comes with it: the plan has imported it by now

    count = len(plan.steps)
    size = sum(len(step.instructions) for step in plan.steps)
    lines = [f"{graph.name}: {size} instructions, {count} step{'s' if count != 1 else ''}"]
    for number, step in enumerate(plan.steps, 1):
        if isinstance(step, HostStep):
            lines.append(f"{number}. on the host:")
            for instruction in step.instructions:
                lines.append(_host_line(plan, instruction))
                lines.extend(_bodies(instruction))
        else:
            lines.extend(_region_lines(number, step))
    if plan.schedule.left_out:
        names = ", ".join(dict.fromkeys(n.record.name for n in plan.schedule.left_out))
        lines.append(f"left out, as TensorFlow does under jit_compile: {names}")
    return "\n".join(lines)


def _host_line(plan, instruction) -> str:
    why = why_on_host(plan, instruction)
    where = describe_source(instruction.node).split("\n")[0].strip()
    return f"   {instruction.op.name}: {why}" + (f" ({where})" if where else "")


def why_on_host(plan, instruction) -> str:
    """Why an instruction of a plan runs on the host: what a compilation found out, or what was clear from the start."""
    if instruction in plan.reasons:
        return plan.reasons[instruction]
    from reflow.compile.partition import lowerable

    for graph in instruction.graphs:
        inner = schedule_of(graph)
        for i in inner.instructions:
            if not lowerable(i, [inner.dtypes[s] for s in (*i.ins, *i.outs)]):
                return f"it holds {i.op.name}"
    if instruction.op.opaque:
        return "it runs Python code"
    if instruction.op.sized_by_data:
        return "the size of its result depends on data"
    if instruction.op.effect:
        return "it has an effect outside of the program, as printing has"
    if any(t._dtype.kind == "s" for t in (*instruction.node.inputs, *instruction.node.outputs)):
        return "XLA has no strings"
    return "it has effects or state" if instruction.op.stateful else "XLA cannot do it"


def _bodies(instruction) -> list:
    """The plans of the graphs that a host instruction runs, indented; those that have not run yet have none."""
    planned = [g for g in instruction.graphs if plan_of.known(g)]
    return ["      " + line for g in planned for line in describe(g).split("\n")]


def _region_lines(number, region) -> list:
    names = [i.op.name.removeprefix("Reflow>") for i in region.instructions]
    shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    compiled = sum(p.call is not None for p in region.programs.values())
    return [
        f"{number}. program of {len(names)} instructions: {shown}",
        f"   inputs {len(region.inputs)}, outputs {len(region.outputs)}, variables read {len(region.reads)}, written "
        f"{len(region.writes)}; compiled for {compiled} kinds of input",
    ]
