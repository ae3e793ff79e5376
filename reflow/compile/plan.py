"""Plans: how one function runs, as a sequence of host steps and regions.

If a program turns out to be impossible, the plan is rebuilt with one more instruction on the host. The call in which
that happens is finished by the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from reflow.compile.lowering import MakeHost
from reflow.compile.partition import HostStep, partition
from reflow.compile.recompute import finish_front
from reflow.compile.whole import refusal, refused
from reflow.core import errors
from reflow.runtime.interpret import host_value, run_instructions
from reflow.runtime.schedule import schedule_of

if TYPE_CHECKING:
    from reflow.compile.partition import Step
    from reflow.compile.region import Region
    from reflow.core.types import Value
    from reflow.graph.func_graph import FuncGraph
    from reflow.runtime.schedule import Env, Instruction


#: observers of new plans, which may wrap their steps (`reflow explain`)
WATCHERS: list[Callable[[Plan, list[Any]], list[Any]]] = []


class Plan:
    """How to run one function: its steps, rebuilt with more on the host when a program turns out to be impossible."""

    new_region: type[Region] | None = None  # the class of its regions, unless devices determine it

    def __init__(self, graph: FuncGraph) -> None:
        self.graph = graph
        self.schedule = schedule_of(graph)
        self.jit_compile = getattr(graph, "jit_compile", False)
        self.forced_host: set = set()
        self.reasons: dict = {}
        unsupported = refused(self.schedule) if self.jit_compile else []
        if unsupported:
            raise refusal(graph, unsupported, "XLA cannot do it")
        self.build()

    def build(self) -> None:
        self.steps = partition(self.schedule, self.forced_host, self.jit_compile, self.new_region)
        for watch in WATCHERS:
            self.steps = watch(self, self.steps)

    def run(self, values: Sequence[Value]) -> list:
        schedule = self.schedule
        env: list = [*values, *[None] * (schedule.slots - len(values))]  # a schedule's first slots are its inputs
        steps = self.steps  # a snapshot: another thread may replace them
        for at, step in enumerate(steps):
            try:
                step.run(env)
            except MakeHost as failure:
                if self.jit_compile and failure.refused:
                    raise refusal(self.graph, [failure.instruction], failure.why) from None
                self._give_to_host(failure)
                return self._resume(env, steps[:at])
            except errors.OpError as error:
                if isinstance(step, HostStep):  # it has run what is in front
                    raise
                earlier = finish_front(self._without(steps[:at]), error.op, env)
                if earlier is None:
                    raise
                raise earlier from error
        return [env[s] for s in schedule.outputs]

    def _resume(self, env: Env, finished: Sequence[Step]) -> list[Value]:
        """Some steps have run: interpret all remaining instructions, for this call only."""
        rest = self._without(finished)
        for slot, value in enumerate(env):
            if value is not None:
                env[slot] = host_value(value)
        run_instructions(rest, env, [()] * len(rest))
        return [env[s] for s in self.schedule.outputs]

    def _without(self, finished: Sequence[Step]) -> list[Instruction]:
        done = {i for step in finished for i in step.instructions}
        return [i for i in self.schedule.instructions if i not in done]

    def _give_to_host(self, failure: MakeHost) -> None:
        instruction = failure.instruction
        if instruction not in self.schedule.instructions:
            raise RuntimeError(f"{instruction} is not an instruction of {self.graph.name}") from failure
        self.forced_host.add(instruction)
        self.reasons[instruction] = failure.why
        self.build()


