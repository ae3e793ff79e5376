"""Lowering of loops: `While` becomes `lax.while_loop`, or a `lax.scan` if the number of iterations is known
(`scans.py`).

A loop carries only what its body changes. Loop-invariant values stay outside, so sizes stay known. Variables written
inside and the check code are carried too. A body that cannot be compiled (its shapes change, it holds a host op, a size
depends on data) makes the whole loop a host op.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax import lax

from reflow.compile.branch_rules import plain, written_refs
from reflow.compile.lists import ListValue, finish_lists, prepare_lists
from reflow.compile.loop_counts import Count, bound_iterations, count_iterations, decisive
from reflow.compile.lowering import MakeHost, NeedsValue, as_array, rule
from reflow.compile.scans import Scan, is_heavy
from reflow.ops.kernels.control.flow import LOOPS
from reflow.runtime.schedule import schedule_of

if TYPE_CHECKING:
    from reflow.compile.lowering import Lowering
    from reflow.core.types import Array, Value
    from reflow.runtime.schedule import Instruction


@rule(*LOOPS)
def _while(lowering: Lowering, instruction: Instruction, values: Sequence[Value]) -> list[Array]:
    loop = Loop(lowering, instruction, values)
    loop.find_count()
    try:
        return loop.lower()
    except NeedsValue as need:
        why = f"inside the loop {str(need).rstrip('.')}"
        raise MakeHost(instruction, why, refused=need.op is None or not need.op.bounded) from None
    except MakeHost as inner:
        if inner.instruction is instruction:
            raise
        raise MakeHost(instruction, f"the loop holds {inner}", inner.refused) from None


class Loop:
    """One `While`: the values that change, the trip count if it is known, and the variables it writes."""

    def __init__(self, lowering: Lowering, instruction: Instruction, values: Sequence[Value]) -> None:
        self.lowering, self.instruction, self.values = lowering, instruction, list(values)
        self.cond, self.body = instruction.attrs["cond"], instruction.attrs["body"]
        ids = [t._id for t in self.body.inputs]
        self.changing = [i for i, t in enumerate(self.body.outputs) if t._id != ids[i]]
        self.written: list = []
        self.count: Count | None = None
        self.bound: int | None = None  # an upper bound on the iterations: the capacity of lists
        # position of a list -> its initial length, and the change per iteration
        self.growth: dict[int, tuple[int, int]] = {}

    def find_count(self) -> None:
        """Find the trip count, or a bound on it, if it matters.

        Under `jit_compile`, lists have the size that TensorFlow gives them: the integers that determine it become part
        of the program's key.
        """
        if not self._worth_counting():
            return
        parts = self.cond, self.body, self.values, self.changing
        self.count = count_iterations(*parts)
        self.bound = bound_iterations(*parts) if self.count is None else self.count.trips
        if self.bound is None and self._grows_lists() and self.lowering.parent is None and self.lowering.skip_checks:
            for position in decisive(*parts):
                raise NeedsValue(self.instruction.op, "input", position)

    def lower(self) -> list[Array]:
        if self.count is not None and not self.count.trips:
            return self.values
        values = prepare_lists(self, self.values)
        self._learn_writes(values)
        try:
            return self._scan(values) if self.count is not None else self._while(values)
        except TypeError as error:
            raise MakeHost(self.instruction, f"the loop's shapes change: {str(error)[:200]}", refused=True) from None

    def _worth_counting(self) -> bool:
        """Lists need a capacity, and a scan moves heavy work out of the loop; other loops gain nothing from a count."""
        return self._grows_lists() or any(map(is_heavy, schedule_of(self.body).instructions))

    def _grows_lists(self) -> bool:
        return any(isinstance(self.values[i], ListValue) for i in self.changing)

    def _scan(self, values: Sequence[Value]) -> list[Array]:
        results, state, code = Scan(self, values).lower()
        self._commit(state, code)
        return finish_lists(self, results)

    def _while(self, values: Sequence[Value]) -> list[Array]:
        carry = ([plain(values[i]) for i in self.changing], *self.outer_state())
        outs, state, code = lax.while_loop(self._condition(values), self._step(values), carry)
        self._commit(state, code)
        return finish_lists(self, self._full(values, outs))

    def outer_state(self) -> tuple[list[Array], Array]:
        """The values of the variables that the body writes, and the check code, before the loop."""
        state = [as_array(self.lowering.state[k]) for k in self.written]
        return state, as_array(self.lowering.code, np.dtype(np.int32))

    def _commit(self, state: Sequence[Array], code: Array) -> None:
        self.lowering.state.update(zip(self.written, state, strict=True))
        self.lowering.code = code

    def scope(self, state: Sequence[Array], code: Array) -> Lowering:
        """A scope for the body, with the carried values."""
        scope = self.lowering.child()
        scope.state.update(zip(self.written, state, strict=True))
        scope.code = code
        return scope

    def carried_out(self, scope: Lowering) -> Any:
        """What a scope carries to the next iteration: the counterpart of `outer_state`."""
        return [as_array(scope.state[k]) for k in self.written], as_array(scope.code, np.dtype(np.int32))

    def _full(self, values: Sequence[Value], changing: Sequence[Array]) -> list[Array]:
        full = list(values)
        for i, value in zip(self.changing, changing, strict=True):
            full[i] = value
        return full

    def _condition(self, values: Sequence[Value]) -> Callable:
        def condition(carry: Any) -> Array:
            changing, state, code = carry
            (test,) = self.scope(state, code).run_graph(self.cond, self._full(values, changing))
            return as_array(test, np.dtype(bool)).reshape(())

        return condition

    def _step(self, values: Sequence[Value]) -> Callable:
        def step(carry: Any) -> Any:
            changing, state, code = carry
            scope = self.scope(state, code)
            outs = scope.run_graph(self.body, self._full(values, changing))
            return ([plain(outs[i]) for i in self.changing], *self.carried_out(scope))

        return step

    def _learn_writes(self, values: Sequence[Value]) -> None:
        """Find the variables that the body writes, by lowering it abstractly once."""
        checks = self.lowering.root.checks
        count = len(checks)

        def abstract(*changing: Any) -> Any:
            scope = self.lowering.child()
            scope.run_graph(self.body, self._full(values, list(changing)))
            self.written = written_refs(self.lowering.state, scope.state)
            return 0

        jax.eval_shape(abstract, *[plain(values[i]) for i in self.changing])
        del checks[count:]
