"""Regions: groups of instructions that run as one XLA program.

A region is specialized for each new *key*: the shapes and dtypes of its inputs, and the values of those that a static
operand needs. The first call with a key is interpreted; the second or a later one compiles it (`patience.py`). At most
`MAX_PROGRAMS` are kept.

Call and commit are one step. A program's arguments are the buffers of the variables it writes (donated), those it only
reads, and its inputs; its results are the new buffers, then the outputs. The C-level loop in `_donate` stores every
result without running any bytecode in between, so neither Ctrl-C nor another thread can see half a step. Only private
buffers are donated: a buffer with another reference is copied first.
"""

from __future__ import annotations

import contextlib
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from operator import attrgetter, itemgetter
from sys import getrefcount
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import jax
import numpy as np

from reflow.compile import dump
from reflow.compile.buffers import ON_HOST, check_room, device_copy, lent, private_copy, settle
from reflow.compile.lists import ListValue
from reflow.compile.lowering import Lowering, MakeHost, NeedsValue, Ref
from reflow.compile.packs import Packing
from reflow.compile.patience import COMPILE_AT, due
from reflow.compile.prechecks import precheck
from reflow.compile.recompute import recompute, value_sources
from reflow.compile.signals import held
from reflow.compile.streams import Streams
from reflow.core import errors
from reflow.core.context import state, swapped
from reflow.core.fork import new_lock
from reflow.core.resources import Cell, commit_lock
from reflow.core.tensor import ndarray
from reflow.ops.kernels.control.flow import ABSENT
from reflow.ops.kernels.control.lists import TensorList
from reflow.ops.xp.xla.base import wide_types
from reflow.ops.xp.xla.native import Calls
from reflow.runtime.interpret import execution_error, host_value, run_instructions
from reflow.runtime.schedule import last_uses

if TYPE_CHECKING:
    from reflow.core.dtypes import DType
    from reflow.core.types import Array, Dims, Value
    from reflow.runtime.schedule import Env, Instruction

MAX_PROGRAMS = 16
MAX_STATIC_ELEMENTS = 64
#: held while a program is built and called for the first time: the trace writes its facts. Taken before `commit_lock`
compile_lock = new_lock()
NOTHING = np.int32(0)  # stands for an absent argument


def _references_when_alone() -> int:
    """The `getrefcount` in the loop of `_commit` for a buffer that only its cell holds: Python versions differ."""
    cells = [Cell(object())]
    held = [cell.buf for cell in cells]
    for _, buffer in enumerate(held):
        return getrefcount(buffer)
    raise AssertionError


ALONE = _references_when_alone()
#: a NumPy buffer of at least this many bytes becomes a device array by itself before it is donated: copying all
#: variables at once would double a large model
LARGE = 1 << 20
#: a region that writes variables of at least this many bytes is compiled at its first call, during which signals wait
LARGE_STATE = 1 << 28
_store = Cell.__dict__["buf"].__set__  # the slot itself: storing runs no bytecode
_buffer = attrgetter("buf")  # with `map`, half the time of a loop


class ListLayout(NamedTuple):
    """How a program returns a tensor list: as its buffer, followed by its length if that is not known."""

    dtype: DType
    dims: Dims | None
    length: int | None


class Program:
    """A compiled key of a region, and what its results mean."""

    __slots__ = (
        "call", "checks", "layout", "count", "due", "prechecks", "traced", "refused", "kinds", "tried", "avoided",
        "draws", "statics", "results",
    )

    def __init__(self) -> None:
        self.call: Any = None  # the result of `jax.jit`
        self.count = 0
        self.due = 0  # the call that compiles it, from the second one on
        self.traced = False
        self.results = 0  # the number of results after the variables
        self.kinds: set = set()  # types of variables and arguments for which JAX's fast path is warm
        self.avoided: set = set()  # those that JAX always takes through Python
        self.tried: tuple = ()  # those of the last call
        self.refused: str | None = None  # why this key is always interpreted
        self.checks: list = []  # the meaning of the check code among the results
        self.prechecks: list = []  # checks that the host does first
        self.layout: list[Any] = []  # for each output: None for an array, a `ListLayout`, or `ABSENT`
        self.statics: dict = {}  # position -> value of an input that is part of the key
        # number of a stream -> how far a call advances it; None: it is returned
        self.draws: dict[int, Any] | None = None

    def interrupted(self) -> None:
        """The last call failed (Ctrl-C, say).

        If it was the first with these kinds of arguments, JAX remembers that and takes them through Python from then
        on. So they are not used again; or, if there have been no others yet, the program is rebuilt.
        """
        if self.kinds and self.tried not in self.kinds:
            self.avoided.add(self.tried)
        elif not self.kinds:
            self.call, self.traced = None, False

    def usable(self, values: Sequence[Value]) -> Sequence[Any]:
        """Variables and arguments, in kinds that JAX takes without going through Python."""
        if tuple(map(type, values)) not in self.avoided:
            return values
        known = next(iter(self.kinds))
        return [
            np.asarray(v) if kind is ndarray else v if type(v) is kind else device_copy(v)
            for v, kind in zip(values, known, strict=True)
        ]


class Region:
    """A group of instructions with its inputs, outputs and the variables it uses (all as slots)."""

    device = ""  # the device its instructions request, if there is a choice (`placed_region.py`)
    compile_at = COMPILE_AT
    on_host = True  # not in the memory of another device
    joins_calls = True  # calls of our C++ kernels may absorb the ops that follow them (`ops/xp/xla/native.py`)
    # on a GPU, where TensorFlow does not check labels and indices: each call would have to wait for the result
    unchecked = False

    def __init__(
        self, instructions: Sequence[Instruction], inputs: list[int], outputs: list[int], reads: list[int],
        writes: list[int], jit_compile: bool = False,
    ) -> None:
        self.instructions = instructions
        self.inputs, self.outputs = inputs, outputs
        self.reads, self.writes = reads, writes
        self.jit_compile = jit_compile
        self.frees = last_uses(instructions, {*inputs, *outputs, *reads, *writes})
        self.static: list = []  # positions in `inputs` whose values are part of the key
        self.programs: OrderedDict = OrderedDict()
        self.sample: Sequence[Value] | None = None
        self.streams = Streams(instructions)
        self._handles = itemgetter(*writes) if len(writes) > 1 else lambda env: [env[s] for s in writes]
        self.shapeless: list | None = None  # slots of the variables whose shape is part of the key
        self.packing: Any = None  # which of the written variables travel together; known once something is compiled

    # --- running

    def run(self, env: Env) -> None:
        """Run in an environment of slots, interpreted or compiled."""
        values = [env[s] for s in self.inputs]
        try:
            key = self.key(values, env)
        except Unkeyable:
            return self.interpret(env)
        program = self.programs.get(key)
        if program is None:
            program = self._new_program(key)
        else:
            try:  # noqa: SIM105 - a context manager would take 0.3 µs
                self.programs.move_to_end(key)
            except KeyError:  # another thread has evicted it meanwhile
                pass
        if program.traced:
            return self.execute(program, values, env)
        if program.call is None:
            program.count += 1
            if program.refused or not self.jit_compile and self._waits(program, values) and not self._writes_much(env):
                return self.interpret(env)
        with compile_lock:
            if program.call is None:
                self._compile(program, values, env)
            return self.execute(program, values, env)

    def _waits(self, program: Program, values: Sequence[Value]) -> bool:
        """Whether a call comes too early for compiling."""
        if program.count == self.compile_at == COMPILE_AT:
            program.due = due(self.instructions, self.inputs, values)
        return program.count < max(program.due, self.compile_at)

    def _writes_much(self, env: Env) -> bool:
        """Whether it writes large variables: an interpreted step holds all their gradients at once (8.7 GB for 4 GB of
        variables; 4.4 compiled).
        """
        buffers = [env[slot].cell.buf for slot in self.writes]
        return all(b is not None for b in buffers) and sum(getattr(b, "nbytes", 0) for b in buffers) >= LARGE_STATE

    def _new_program(self, key: tuple[Any, ...]) -> Program:
        with compile_lock:
            program = self.programs.setdefault(key, Program())
            if len(self.programs) > MAX_PROGRAMS:
                self.programs.popitem(last=False)
        return program

    def key(self, values: Sequence[Value], env: Env) -> tuple[Any, ...]:
        parts: list = []
        for v in values:
            if type(v) is TensorList:
                parts.append((len(v.items), v.dtype, _common_shape(v.items)))
            elif v is ABSENT:  # an intermediate of a branch that was not taken
                parts.append(v)
            else:
                parts.append(v.shape)
                try:
                    parts.append(v.dtype)
                except AttributeError:  # an optional, captured but not used by a branch
                    raise Unkeyable from None
        if self.shapeless is None:  # a trace fixes its variables' static shapes, so this is computed once
            self.shapeless = [s for s in (*self.writes, *self.reads) if env[s].dims is None or None in env[s].dims]
        for slot in self.shapeless:
            buffer = env[slot].cell.buf
            parts.append(None if buffer is None else buffer.shape)
        for position in self.static:
            value = np.asarray(values[position])
            if value.size > MAX_STATIC_ELEMENTS:
                raise Unkeyable
            parts.append(value.tobytes())
        return tuple(parts)

    def interpret(self, env: Env) -> None:
        for slot in self.inputs:
            env[slot] = host_value(env[slot])
        outer, state.interpreting = state.interpreting, True
        try:
            run_instructions(self.instructions, env, self.frees)
        finally:
            state.interpreting = outer

    # --- compiling

    def _compile(self, program: Program, values: Sequence[Value], env: Env) -> None:
        """Give `program` a callable."""
        program.statics = {i: host_value(v) for i, v in enumerate(values) if i in self.static or v is ABSENT}
        if self.packing is None:
            self.packing = Packing(self._handles(env) if self.on_host else ())
        function = self.packing.wrap(self._function(program))
        function.__name__ = self.instructions[0].node.graph.name  # the program's name in profiles
        program.call = self._jitted(function)

    def _jitted(self, function: Callable) -> Callable:
        """JAX's program; it takes over the memory of the variables that it writes."""
        return jax.jit(function, donate_argnums=0)

    def _function(self, program: Program) -> Callable:
        """The Python function that JAX traces: lowers the instructions."""

        def function(written: Any, read: Any, inputs: Any) -> list[Array]:
            lowering = Lowering(dict(enumerate([*written, *read])))
            cells = self.streams.cells
            if cells:
                *inputs, rows = inputs
                lowering.state.update(zip(cells, rows, strict=True))
            lowering.skip_checks = self.jit_compile or self.unchecked
            program.prechecks = []
            lowering.before = lambda *check: self._take_check(program, check)
            env: dict = {slot: Ref(i) for i, slot in enumerate([*self.writes, *self.reads])}
            for i, (slot, value) in enumerate(zip(self.inputs, inputs, strict=True)):
                env[slot] = program.statics.get(i, value)
            waited_for = self.instructions[0].node.graph.runs_in_session
            calls = Calls(waited_for) if self.on_host and self.joins_calls else None
            with swapped(native=calls or self.on_host, accelerated=self.unchecked):
                lowering.run_instructions(self.instructions, env, self._announcer(calls) if calls else None)
            program.checks = lowering.checks
            program.layout = []
            flat = [lowering.state[i] for i in range(len(self.writes))]
            for slot in self.outputs:
                if isinstance(env[slot], ListValue) and env[slot].buffer is None:
                    maker = next(i for i in self.instructions if slot in i.outs)
                    raise MakeHost(maker, "a tensor list without elements leaves the region")
                self._emit(program, env[slot], flat)
            program.draws = {i: lowering.draws[c] for i, c in enumerate(cells) if c in lowering.draws}
            flat.extend(lowering.state[cells[i]] for i, blocks in program.draws.items() if blocks is None)
            if lowering.checks:
                flat.append(lowering.code)
            program.results = len(flat) - len(self.writes)
            if self.on_host:
                check_room(flat)
            program.traced = True
            return flat

        return function

    def _announcer(self, calls: Calls) -> Callable[[Instruction, Env], None]:
        """Tells `calls`, when an instruction begins, which of its values have no other use.

        That excludes the values used by a loop or a branch, which may use a value several times, or never.
        """
        uses = Counter(chain(self.outputs, *[i.ins for i in self.instructions]))
        return lambda i, env: calls.begin(() if i.op.flow else [env[s] for s in i.ins if uses[s] == 1])

    def function_again(self, statics: dict[int, Any]) -> Callable:
        """The function that JAX traces, for inspection: a trace writes into its program,
        so this one gets a separate program."""
        program = Program()
        program.statics = statics
        return self._function(program)

    def _take_check(self, program: Program, check: tuple[Any, ...]) -> bool:
        sample = self.sample
        made = None if sample is None else precheck(self, check, sample)
        if sample is None or made is None:
            return False
        if made.steps:  # otherwise it checks only constants and shapes: once is enough
            program.prechecks.append(made)
        made.run(sample)  # this very call came here before the program had prechecks
        return True

    @staticmethod
    def _emit(program: Program, value: Value, flat: list[Any]) -> None:
        """Add a value to a program's results, and to its layout how `_deliver` reads it."""
        if value is ABSENT:
            program.layout.append(ABSENT)
        elif isinstance(value, ListValue):
            known = value.length if isinstance(value.length, int) else None
            program.layout.append(ListLayout(value.dtype, value.dims, known))
            flat.append(value.buffer)
            if known is None:
                flat.append(value.length)
        else:
            program.layout.append(None)
            flat.append(value)

    def _dump(self, program: Program, args: Any, env: Env) -> None:
        if dump.FOLDER:
            state = [[env[s].read() for s in slots] for slots in (self.writes, self.reads)]
            dump.program(self, self.function_again(program.statics), [*state, args])

    # --- executing

    def execute(self, program: Program, values: Sequence[Value], env: Env) -> None:
        """Run the program, commit its state, perform its checks, store its outputs in the environment."""
        if program.traced:
            for check in program.prechecks:
                check.run(values)
        else:
            self.sample = values  # to try prechecks on while it is traced
        args = [self._argument(v) if type(v) is TensorList or v is ABSENT else v for v in values]
        drawn_before = program.draws
        if self.streams.cells:
            args.append(self.streams.rows(drawn_before))
        try:
            with wide_types():
                if self.writes:
                    with commit_lock:
                        outbox = self._commit(program, args, env)
                else:
                    outbox = self._call_reading(program, self._gather(env, lent), args, env)
        except NeedsValue as need:
            self.programs.clear()
            self._add_static(need, values)
            self._keep_count(program, values, env)
            return self.run(env)
        except MakeHost:
            self.programs.clear()
            raise
        except (ValueError, TypeError, IndexError, ArithmeticError, MemoryError) as error:
            if program.traced:
                raise
            # These inputs do not fit an op: the interpreter raises TensorFlow's error (or succeeds, and is used from
            # now on).
            program.call, program.refused = None, str(error)
            return self.interpret(env)
        except BaseException as error:
            if self.writes:
                program.interrupted()
            if isinstance(error, jax.errors.JaxRuntimeError):
                errors.raise_of_program(error)
            raise
        if self.sample is not None:
            self.sample = None
            self._dump(program, args, env)
        self._deliver(program, outbox, env, drawn_before is None)

    def _keep_count(self, program: Program, values: Sequence[Value], env: Env) -> None:
        """Let the program that replaces one, with another value in its key, be compiled now as well: there may be a
        dozen such values, which are found one by one, and none begins to count calls anew."""
        with contextlib.suppress(Unkeyable):
            again = self._new_program(self.key(values, env))
            again.count, again.due = program.count, program.due

    def _call_reading(self, program: Program, read: Any, args: Any, env: Env) -> Any:
        """A program that writes nothing takes no lock; if a writer donated a buffer meanwhile, gather again."""
        while True:
            try:
                return program.call([], read, args)
            except (ValueError, RuntimeError) as error:
                if "deleted" not in str(error) and "donated" not in str(error):
                    raise
                with commit_lock:
                    again = self._gather(env, lent)
                if all(a is b for a, b in zip(again, read, strict=True)):
                    raise
                read = again

    def _gather(self, env: Env, take: Callable[[Cell, Any], Any] = settle) -> list:
        """The buffers of the variables that are only read; `take` converts those that are not device arrays."""
        buffers = []
        for slot in self.reads:
            buffer = env[slot].cell.buf
            if type(buffer) in ON_HOST:
                buffer = take(env[slot].cell, buffer)
            elif buffer is None:
                self._missing(env)
            buffers.append(buffer)
        return buffers

    def _missing(self, env: Env) -> None:
        for slot in (*self.reads, *self.writes):
            env[slot].read()

    def _commit(self, program: Program, args: Any, env: Env) -> list:
        """Call the program and store the new values of the variables; returns its other results."""
        cells = self.packing.cells(self._handles(env))
        donated = list(map(_buffer, cells))
        for i, buffer in enumerate(donated):
            if buffer is None:
                self._missing(env)
            if type(buffer) is ndarray and buffer.nbytes >= LARGE:
                buffer = donated[i] = settle(cells[i], buffer)
            # references: the cell, the list, this name and the call; one more means that other code holds it too
            if type(buffer) in ON_HOST or getrefcount(buffer) > ALONE:
                donated[i] = private_copy(buffer)
        buffer = None
        read = self._gather(env)
        if program.avoided:
            values = program.usable([*donated, *args])
            donated, args = list(values[: len(donated)]), values[len(donated) :]
        program.tried = (*map(type, donated), *map(type, args))
        boxes = [Cell() for _ in range(program.results if program.traced else self._most_results())]
        with contextlib.nullcontext() if program.tried in program.kinds else self._safe_first(donated):
            self._donate(program, [*cells, *boxes], [donated], [read], [args])
        program.kinds.add(program.tried)
        return [box.buf for box in boxes if box.buf is not None]

    @staticmethod
    def _safe_first(donated: list[Any]) -> contextlib.AbstractContextManager[None]:
        """A call with new kinds of arguments, made safe against interrupts.

        JAX takes such a call through Python, where a signal can arrive between the run and the store. So the call gets
        copies to donate, and the cells keep their values until the new ones are stored. For a large model that would be
        a second copy: there signals are deferred until the program is compiled and has run once.
        """
        if sum([b.nbytes for b in donated]) >= LARGE_STATE:
            return held()
        donated[:] = [b if type(b) is ndarray else device_copy(b) for b in donated]
        return contextlib.nullcontext()

    def _most_results(self) -> int:
        """The maximum number of results after the variables:
        a list counts as two, a stream and the check code as one each."""
        return 2 * len(self.outputs) + len(self.streams.cells) + 1

    @staticmethod
    def _donate(program: Program, cells: Any, donated: Any, read: Any, args: Any) -> None:
        """Call and commit: one C-level loop from the call to the last store."""
        deque(map(_store, cells, chain.from_iterable(map(program.call, donated, read, args))), 0)

    def _deliver(self, program: Program, outbox: Iterable[Array], env: Env, fresh: bool) -> None:
        results = iter(outbox)
        for slot, entry in zip(self.outputs, program.layout, strict=True):
            if entry is ABSENT:
                env[slot] = ABSENT
                continue
            value = next(results)
            if entry is not None:
                length = int(next(results)) if entry.length is None else entry.length
                value = TensorList(tuple(np.asarray(value)[:length]), entry.dtype, entry.dims)
            env[slot] = value
        if self.streams.cells:
            self.streams.settle(program.draws or {}, fresh, results)
        if program.checks:
            code = int(next(results))
            if code:
                self._fail(program, code, env)

    def _fail(self, program: Program, code: int, env: Env) -> NoReturn:
        instruction, message = program.checks[code - 1]
        if callable(message):
            message = self._explain(instruction, message, env)
        raise errors.InvalidArgumentError(None, instruction.node, execution_error(instruction.node, message))

    def _explain(self, instruction: Instruction, message: Any, env: Env) -> str:
        """A check's message about its inputs, which are recomputed on the host if that needs no state."""
        values = recompute(self.instructions, instruction, env)
        if values is None:
            return f"{instruction.op.name} got a value out of range"
        try:
            return message(*instruction.op.group(values, instruction.attrs))
        except (IndexError, ValueError):
            return f"{instruction.op.name} got a value out of range"

    @staticmethod
    def _argument(value: Value) -> Any:
        if type(value) is TensorList:
            buffer = np.stack(value.items)
            return ListValue(buffer, len(value.items), value.dtype, value.dims, len(value.items))
        return NOTHING if value is ABSENT else value

    def _add_static(self, need: NeedsValue, values: Sequence[Value]) -> None:
        """A static operand is unknown: add the inputs it is computed from to the key, or move its op to the host."""
        instruction = need.instruction
        sources = value_sources(self, instruction, need)
        if sources is None or not sources - set(self.static):
            raise MakeHost(instruction, str(need))
        for position in sources:
            value = values[position]
            if type(value) is TensorList or value.size > MAX_STATIC_ELEMENTS or np.dtype(value.dtype).kind not in "iub":
                raise MakeHost(instruction, str(need))
        self.static = sorted(set(self.static) | sources)


class Unkeyable(Exception):
    """This call's inputs cannot form a key: interpret it."""


def _common_shape(items: Sequence[Any]) -> tuple[int, ...]:
    """The shape of a list's elements; a list with gaps or unequal elements cannot enter a program."""
    shapes = {None if i is None else i.shape for i in items}
    shape = shapes.pop() if len(shapes) == 1 else None
    if shape is None:
        raise Unkeyable
    return shape
