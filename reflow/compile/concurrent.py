"""Runs functions whose ops wait for each other, such as collectives of several devices.

Instructions run as soon as those that they depend on have run. One that may wait runs in its own thread, so that what
it waits for can run at the same time. The first error ends the waits of all others.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reflow.compile.partition import HostStep, order
from reflow.compile.plan import Plan
from reflow.core.context import state, swapped
from reflow.devices.step import Step
from reflow.runtime.interpret import host_value, run_instructions

if TYPE_CHECKING:
    from reflow.core.types import Value
    from reflow.runtime.schedule import Instruction


class ConcurrentPlan(Plan):
    """How to run a function in which ops wait for each other: everything is on the host."""

    def build(self) -> None:
        self.steps = [HostStep(self.schedule.instructions)]
        self.before = order(self.schedule)

    def run(self, values: Sequence[Value]) -> list:
        schedule = self.schedule
        env: list = [*map(host_value, values), *[None] * (schedule.slots - len(values))]
        with swapped(graph=None, tapes=(), interpreting=True, step=state.step or Step()):
            _Run(schedule.instructions, self.before, env).finish()
        return [env[s] for s in schedule.outputs]


class _Run:
    """One call: what is left to do, and what is being done in other threads."""

    def __init__(self, instructions: Sequence[Instruction], before: Sequence[set[int]], env: list) -> None:
        self.instructions, self.before, self.env = instructions, before, env
        self.left, self.done, self.running = list(range(len(instructions))), set[int](), 0
        self.finished: queue.SimpleQueue[tuple[int, Exception | None]] = queue.SimpleQueue()

    def finish(self) -> None:
        """Run everything; raises the first error, and tells it to those who still wait."""
        while self.left or self.running:
            error = self._start()
            if error is None and self.running:
                n, error = self.finished.get()
                self.running -= 1
                self.done.add(n)
            if error is not None:
                state.step.fail(error)
                raise error

    def _start(self) -> Exception | None:
        """Run, or begin to run, all that is ready, and what becomes ready by that; returns an error."""
        while ready := [n for n in self.left if self.before[n] <= self.done]:
            self.left = [n for n in self.left if n not in ready]
            for n in ready:
                op = self.instructions[n].op
                if op.meets or op.calls_back or op.overlaps:
                    self.running += 1
                    arguments = n, state.surroundings()
                    threading.Thread(target=self._work, args=arguments, name="reflow-step", daemon=True).start()
                    continue
                error = self._run(n)
                if error is not None:
                    return error
                self.done.add(n)
        return None

    def _work(self, n: int, surroundings: dict[str, Any]) -> None:
        state.put(surroundings)
        self.finished.put((n, self._run(n)))

    def _run(self, n: int) -> Exception | None:
        instruction = self.instructions[n]
        try:
            with swapped(device=instruction.node.device or state.device):
                run_instructions([instruction], self.env, [()])
        except Exception as error:
            return error
        return None
