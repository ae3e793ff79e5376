"""A plan: how one function runs, as host steps and regions one after the other.

The plan is cut again, with one more instruction on the host, whenever a program turns out to be impossible. The call in
which that happens is finished by interpretation.
"""

from __future__ import annotations

from reflow.compile.cut import HostStep, cut
from reflow.compile.region import CannotCompile
from reflow.runtime.interpret import host_value, interpret, run_instructions
from reflow.runtime.schedule import schedule

SKIPPED_BY_XLA = frozenset({"Assert", "NoOp"})  # under jit_compile, as in TensorFlow


class Plan:
    """How to run one function: steps, made again with more on the host when a program turns out to be impossible."""

    def __init__(self, graph):
        self.graph = graph
        self.schedule = schedule(graph)
        self.jit_compile = getattr(graph, "jit_compile", False)
        self.forced_host: set = set()
        self.reasons: dict = {}
        self.build()

    def build(self):
        self.steps = cut(self.schedule, self.forced_host, self.jit_compile)
        if self.jit_compile:
            unsupported = _unsupported(self.schedule, self.steps)
            if unsupported:
                raise _refused(self, unsupported, "XLA cannot do it")

    def run(self, values) -> list:
        plan = self.schedule
        env: list = [*values, *[None] * (plan.slots - len(values))]  # a schedule's first slots are its inputs
        at = 0
        while at < len(self.steps):
            try:
                self.steps[at].run(env)
                at += 1
            except CannotCompile as failure:
                if self.jit_compile:
                    raise _refused(self, [failure.instruction], failure.why) from None
                self._give_to_host(failure)
                return self._resume(env, at)
        return [env[s] for s in plan.outputs]

    def _resume(self, env, at):
        """The steps before `at` have run: run the rest of their instructions by interpretation, once."""
        done = {i for step in self.old_steps[:at] for i in step.instructions}
        rest = [i for i in self.schedule.instructions if i not in done]
        for slot, value in enumerate(env):
            if value is not None:
                env[slot] = host_value(value)
        run_instructions(rest, env, [()] * len(rest))
        return [env[s] for s in self.schedule.outputs]

    def _give_to_host(self, failure):
        instruction = failure.instruction
        if instruction not in self.schedule.instructions:
            raise RuntimeError(f"{instruction} is not an instruction of {self.graph.name}") from failure
        self.forced_host.add(instruction)
        self.reasons[instruction] = failure.why
        self.old_steps = self.steps
        self.build()


def _unsupported(plan, steps) -> list:
    """Host instructions, but not those that only feed what XLA leaves out."""
    hosts = {i for step in steps if isinstance(step, HostStep) for i in step.instructions}
    needed = set(plan.outputs)  # slots
    found = []
    for instruction in reversed(plan.instructions):
        left_out = instruction.op.name in SKIPPED_BY_XLA or not (
            instruction.effect or needed.intersection(instruction.outs)
        )
        if not left_out:
            needed.update(instruction.ins)
            if instruction in hosts:
                found.append(instruction)
    return found[::-1]


def _refused(plan, instructions, why):
    """The error for a function that cannot be one program: each op with the user's line, and what to do."""
    from reflow.core.errors import InvalidArgumentError

    ops = ", ".join(dict.fromkeys(f"{i.op.name} ({{{{node {i.node.name}}}}})" for i in instructions))
    places = dict.fromkeys(i.node.origin() for i in instructions)
    return InvalidArgumentError(
        None,
        instructions[0].node,
        f"Detected unsupported operations when trying to compile graph __inference_{plan.graph.name}[_XlaMustCompile=true]: {ops}: "
        f"{why}.\nThe op is created at:\n{''.join(places)}"
        "Leave out jit_compile=True: everything that XLA can do is compiled then too. Or move these ops out of the function.",
    )


def run_plan(graph, values):
    """Run a FuncGraph by its plan: what `FuncGraph.run` does."""
    plan = graph.plans.get("plan")
    if plan is None or plan.schedule.size != len(graph.nodes) or len(plan.schedule.outputs) != len(graph.outputs):
        plan = graph.plans["plan"] = Plan(graph)
    return plan.run(values)


_ = interpret
