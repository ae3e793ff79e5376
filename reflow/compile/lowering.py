"""Lowering: instructions to JAX, inside one `jax.jit` trace.

Values in the environment are NumPy arrays while they are *known* (constants, shapes, and what is computed from them:
those are folded with the host kernels), and tracers otherwise. A variable is a `Ref`; its current value is in `state`.
A program is pure: reads are its arguments, writes its results, and failed checks a number among its results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import jax
import numpy as np
from jax import lax

from reflow.core.context import quietly
from reflow.core.types import Array, Value
from reflow.graph.func_graph import FuncGraph
from reflow.ops.kernels.control.vjp import differentiated
from reflow.ops.registry import NeedsValue, Op, extend
from reflow.ops.xp import host as host_xp
from reflow.ops.xp import xla as xla_xp
from reflow.runtime.schedule import Env, Instruction, Schedule, schedule_of

#: how to lower an op if not through its kernel: (lowering, instruction, values) -> outputs
LoweringRule: TypeAlias = Callable[["Lowering", Instruction, Sequence[Value]], Sequence[Any]]

MOST_BYTES = 2**63 - 1
FOLD_LIMIT = 1024  # elements; larger constants are not folded and are emitted as XLA ops


def rule(*records: Op) -> Callable[[LoweringRule], LoweringRule]:
    """Register a function (lowering, instruction, values) -> outputs as the lowering of some ops."""

    def register(function: Callable) -> LoweringRule:
        extend(*records, lower=function)
        return function

    return register


class MakeHost(Exception):
    """An instruction cannot be part of a program, at least not for these shapes.

    The plan runs it on the host. If it is `refused` and the function has `jit_compile`, the call raises.
    """

    def __init__(self, instruction: Instruction, why: str, refused: bool = False) -> None:
        super().__init__(f"{instruction.op.name}: {why}")
        self.instruction, self.why, self.refused = instruction, why, refused


class Ref:
    """A variable inside a program: refers to an entry of the state."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


class View:
    """A variable in the form that the kernels of variable ops take: reads and writes act on the entry of the state."""

    __slots__ = ("state", "index")
    remote = False
    dims = dtype = None  # dtypes and shapes were checked when the node was created, or XLA will check them

    def __init__(self, state: dict, index: int) -> None:
        self.state, self.index = state, index

    def read(self) -> Array:
        return self.state[self.index]

    def write(self, value: Value) -> None:
        self.state[self.index] = value


class Lowering:
    """One scope of lowering: a program, or a branch or loop body inside it."""

    xp = xla_xp

    def __init__(self, state: dict, parent: Lowering | None = None) -> None:
        self.state = state
        self.parent = parent
        self.root: Lowering = parent.root if parent else self
        self.code: Array = np.int32(0) if parent is None else parent.code  # number of the first failed check; 0: none
        if parent is None:
            self.checks: list = []
            self.draws: dict = {}  # hidden random counter -> blocks drawn, None if that depends on data
            self.skip_checks = False
            #: receives checks that the host can do before the program runs; see prechecks.py
            self.before: Callable | None = None

    # --- running

    def run(self, schedule: Schedule, values: Sequence[Value]) -> list:
        """Lower a whole schedule on argument values."""
        env: list = [None] * schedule.slots
        for slot, value in zip(schedule.inputs, values, strict=True):
            env[slot] = value
        self.run_instructions(schedule.instructions, env)
        return [env[s] for s in schedule.outputs]

    def run_graph(self, graph: FuncGraph, values: Sequence[Value]) -> list:
        return self.run(schedule_of(graph), values)

    def run_instructions(
        self, instructions: Sequence[Instruction], env: Env, begins: Callable[[Instruction, Env], None] | None = None
    ) -> None:
        """Lower instructions one by one; `begins` is called before each."""
        for instruction in instructions:
            values = [env[s] for s in instruction.ins]
            if begins is not None:
                begins(instruction, env)
            try:
                # HLO, and so profiles, name operations after the user's nodes
                with jax.named_scope(instruction.node.name):
                    out = self.lower(instruction, values)
            except NeedsValue as need:
                if need.instruction is None:
                    need.instruction = instruction
                    need.op = need.op or differentiated(instruction.op, instruction.attrs) or instruction.op
                raise
            for slot, value in zip(instruction.outs, out, strict=True):
                env[slot] = value

    def lower(self, instruction: Instruction, values: Sequence[Value]) -> list:
        """The outputs of one instruction."""
        op = instruction.op
        if op.lower is not None:
            return op.lower(self, instruction, values)
        if op.host:
            raise MakeHost(instruction, "it runs on the host")
        if _foldable(op, values) and self.passes(instruction, values):
            out = _fold(instruction, values)
            if out is not None:
                return out
        self.require_values(instruction, values)
        if op.checks:
            self.check(instruction, values)
        try:
            out = op.call(xla_xp, values, instruction.attrs)
        except TypeError as error:
            if op.variants:  # incompatible lists
                raise MakeHost(instruction, str(error)) from None
            raise
        outs = [out] if op.single else list(out)
        _refuse_huge(op, outs)
        return outs

    def view(self, value: Value) -> Any:
        """The kernel argument for a value: for a variable, a view that reads and writes the state."""
        return View(self.state, value.index) if type(value) is Ref else value

    def refusal(self, instruction: Instruction, why: str) -> MakeHost:
        """The exception for an instruction that cannot be part of this program."""
        return MakeHost(instruction, why)

    @staticmethod
    def require_values(instruction: Instruction, values: Sequence[Value]) -> None:
        """Raise `NeedsValue` for the first static operand that is not known."""
        op = instruction.op
        for i in op.static_places(instruction.attrs, len(values)):
            if not isinstance(values[i], np.ndarray):
                raise op.value_needed(instruction.attrs, len(values), i)

    def passes(self, instruction: Instruction, values: Sequence[Value]) -> bool:
        """Whether known values pass the record's checks. Otherwise they are not folded: a host kernel computes with
        invalid values too.
        """
        checks = () if self.root.skip_checks else instruction.op.checks
        args = instruction.op.group(values, instruction.attrs) if checks else ()
        return all(bool(ok) for check in checks for ok, _ in quietly(check, host_xp, instruction.attrs, *args))

    def check(self, instruction: Instruction, values: Sequence[Value]) -> None:
        """Add the record's checks: the code becomes the number of the first one that fails."""
        if self.root.skip_checks:
            return
        op = instruction.op
        args = op.group(values, instruction.attrs)
        before = None if self.parent is not None or op.reads or op.writes else self.before
        for check in op.checks:
            if before is not None and before(instruction, check, values):
                continue
            for ok, message in check(xla_xp, instruction.attrs, *args):
                if isinstance(ok, (bool, np.bool_, np.ndarray)):
                    if bool(np.all(ok)):
                        continue
                    ok = np.asarray(False)
                self.fail_unless(ok, instruction, message)

    def fail_unless(self, ok: Array, instruction: Instruction, message: Any) -> None:
        checks = self.root.checks
        checks.append((instruction, message))
        number = np.int32(len(checks))
        bad = lax.bitwise_and(lax.eq(self.code, np.int32(0)), lax.bitwise_not(lax.convert_element_type(ok, np.bool_)))
        self.code = lax.select(bad, lax.full((), number, np.int32), as_array(self.code, np.dtype(np.int32)))

    def count_draws(self, cell: Any, blocks: int) -> None:
        """Note that a hidden random counter advances; the total is unknown if control flow decides it."""
        draws = self.root.draws
        old = draws.get(cell, 0)
        draws[cell] = None if self.parent is not None or old is None else old + blocks

    def child(self) -> Lowering:
        """A scope for a branch or a body, which starts from the current state and code."""
        return Lowering(dict(self.state), self)


def _refuse_huge(op: Op, outs: Sequence[Array]) -> None:
    for value in outs:
        size = getattr(value, "size", 0)  # tensor lists have no size
        if size and size * value.dtype.itemsize > MOST_BYTES:  # XLA would abort the process
            raise ValueError(f"{op.name} gives an array of shape {value.shape}, which no memory holds")


def _foldable(op: Op, values: Sequence[Value]) -> bool:
    if not values or op.stateful:
        return False
    size = 0
    for v in values:
        if type(v) is not np.ndarray:
            return False
        size += v.size
    return size <= FOLD_LIMIT


def _fold(instruction: Instruction, values: Sequence[Value]) -> list[np.ndarray] | None:
    """Run the host kernel on known values; None if the result is too large to be a literal."""
    try:
        out = quietly(instruction.op.call, host_xp, values, instruction.attrs)
    except (ValueError, IndexError, ZeroDivisionError, TypeError, MemoryError):
        return None
    outs = [out] if instruction.op.single else list(out)
    return outs if all(isinstance(o, np.ndarray) and o.size <= FOLD_LIMIT for o in outs) else None


def as_array(value: Value, dtype: Any = None) -> Array:
    """A value as a JAX array of a strong type, for carries and branch results."""
    if isinstance(value, jax.Array) and not getattr(value, "weak_type", False):
        return value
    return lax.convert_element_type(value, dtype or value.dtype)
