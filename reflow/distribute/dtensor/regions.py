"""Functions on a mesh: a region's program is one program for all devices, divided by XLA's partitioner.

It is compiled at the first call: interpreted, it would run on the host, without layouts. A variable that it writes
keeps its layout. Buffers are not donated; JAX's call uses values on the mesh as they are, and replicates others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.sharding import NamedSharding

from reflow.compile import runner
from reflow.compile.buffers import ON_HOST
from reflow.compile.patience import COMPILE_AT
from reflow.compile.plan import Plan
from reflow.compile.region import Program, Region
from reflow.core.context import swapped
from reflow.core.resources import Cell, commit_lock
from reflow.core.types import Value
from reflow.eager.accelerator import buffer_of
from reflow.graph.derived import derived
from reflow.graph.func_graph import FuncGraph
from reflow.runtime.interpret import host_value
from reflow.runtime.schedule import Env


class MeshRegion(Region):
    """A region whose program runs on all devices of a mesh."""

    on_host = False

    def run(self, env: Env) -> None:
        variables = [env[s] for s in (*self.reads, *self.writes)]
        with commit_lock:
            for handle in variables:
                if handle.place is not None and handle.cell.buf is not None:
                    buffer_of(handle)
        self.compile_at = 1 if all(h.cell.buf is not None for h in variables) else COMPILE_AT
        super().run(env)

    def key(self, values: Sequence[Value], env: Env) -> tuple[Any, ...]:
        return (*super().key(values, env), *[_sharding(env[s].cell.buf) for s in self.writes])

    def _compile(self, program: Program, values: Sequence[Value], env: Env) -> None:
        program.statics = {i: host_value(v) for i, v in enumerate(values) if i in self.static}
        program.call = jax.jit(self._constrained(program, [_sharding(env[s].cell.buf) for s in self.writes]))

    def _constrained(self, program: Program, shardings: Sequence[NamedSharding | None]) -> Callable:
        """What JAX traces, with the layouts of the variables."""
        function = self._function(program)

        def constrained(written: Any, read: Any, inputs: Any) -> list[Any]:
            flat: list[Any] = function(written, read, inputs)
            for i, sharding in enumerate(shardings):
                if sharding is not None:
                    flat[i] = jax.lax.with_sharding_constraint(flat[i], sharding)
            return flat

        return constrained

    def _commit(self, program: Program, args: Any, env: Env) -> list:
        cells = [env[s].cell for s in self.writes]
        buffers = [cell.buf for cell in cells]
        if any(buffer is None for buffer in buffers):
            self._missing(env)
        boxes = [Cell() for _ in range(program.results if program.traced else self._most_results())]
        self._donate(program, [*cells, *boxes], [buffers], [self._gather(env)], [args])
        return [box.buf for box in boxes if box.buf is not None]


def _sharding(buffer: Any) -> NamedSharding | None:
    sharding = None if buffer is None or type(buffer) in ON_HOST else buffer.sharding
    return sharding if isinstance(sharding, NamedSharding) else None


class MeshPlan(Plan):
    """How a function runs on a mesh."""

    new_region = MeshRegion


@derived
def _plan_of(graph: FuncGraph) -> MeshPlan:
    runner.load_rules()
    return MeshPlan(graph)


def run(graph: FuncGraph, values: Sequence[Value]) -> list[Value]:
    """Run a function's graph on raw values, some of which are on a mesh."""
    with swapped(graph=None, tapes=(), place=None):
        return _plan_of(graph).run(values)
