"""Loops with a known number of iterations: what runs before, inside and after them.

A recurrent layer's loop is slow because of work that need not be in it: the product of each input with the same
weights, and the sum of each step's contribution to the weights' gradient. Each can be one large product instead of
forty small ones. So the body is split:

    fixed     loop-invariant: computed once (reads of weights)
    counted   computed from the counter: known numbers, one per iteration
    ahead     products of values known for all iterations (list elements at the counter): all at once, with `jax.vmap`
    core      the recurrence itself: `lax.scan`
    after     products that only a sum over all iterations needs: all at once, after the loop

A value that exists for all iterations is a stack `[iterations, …]`. In a loop that pops lists (as a gradient's does)
the last iteration comes first, so the lists are used as they are. List reads at the counter are such stacks, and so are
pushed elements: a list that only grows by one element per iteration is not carried, it *is* the stack. An LSTM(128)
training step (batch 32, 40 steps) takes 0.75 of its time as a single `while_loop`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax import lax

from reflow.compile.branch_rules import plain
from reflow.compile.lists import ListValue
from reflow.compile.lowering import Ref, as_array
from reflow.core.context import quietly, swapped
from reflow.ops.kernels.control.vjp import differentiated
from reflow.ops.kernels.linalg.products import matmul
from reflow.ops.xp import host as host_xp
from reflow.ops.xp import xla as xla_xp
from reflow.runtime.schedule import Instruction, schedule_of

if TYPE_CHECKING:
    from reflow.compile.loops import Loop
    from reflow.core.types import Array, Value
    from reflow.ops.record import Op

SMALL = 64  # elements of a counted value


def is_heavy(instruction: Instruction) -> bool:
    """Whether an instruction is a product, or the gradient of one."""
    return instruction.op.heavy or _is_heavy_gradient(instruction)


def _is_heavy_gradient(instruction: Instruction) -> bool:
    forward = _differentiated(instruction)
    return forward is not None and forward.heavy


def _differentiated(instruction: Instruction) -> Op | None:
    return differentiated(instruction.op, instruction.attrs)


def _pure(instruction: Instruction, skip_checks: bool) -> bool:
    """Whether an instruction is a pure function of its inputs, provided that none is a list."""
    op = instruction.op
    return not (op.lower or op.host or op.stateful or op.checks and not skip_checks)


def split_gradients(instructions: Sequence[Instruction]) -> list:
    """The instructions, each product's gradient split in two: the weights' can wait, the state's cannot."""
    found: list = []
    for instruction in instructions:
        if _is_heavy_gradient(instruction) and len(instruction.outs) > 1:
            found.extend(_parts(instruction))
        else:
            found.append(instruction)
    return found


def _parts(vjp: Instruction) -> Iterator[Instruction]:
    attrs = vjp.attrs
    places = [i for i, w in enumerate(attrs["wanted"]) if w]
    for n, (place, out) in enumerate(zip(places, vjp.outs, strict=True)):
        wanted = tuple(i == place for i in range(len(attrs["wanted"])))
        part = {**attrs, "wanted": wanted, "Tout": attrs["Tout"][n : n + 1], "shapes": attrs["shapes"][n : n + 1]}
        yield Instruction(vjp.op, part, vjp.ins, (out,), vjp.node)


class Scan:
    """One loop, split. `fixed` and `stacks` hold what is known so far, by slot; all other slots belong to the core."""

    def __init__(self, loop: Loop, values: Sequence[Value]) -> None:
        if loop.count is None:
            raise ValueError("A scan needs to know how often its loop runs.")
        self.loop, self.values, self.count, self.trips = loop, values, loop.count, loop.count.trips
        self.schedule = schedule_of(loop.body)
        self.skip_checks = loop.lowering.root.skip_checks
        self.fixed: dict = {}
        self.stacks: dict = {}
        self.results = list(values)
        self.results_known = set(range(len(values))) - set(loop.changing)
        self.grown: list = []  # (position, item's slot, destination of each item: None for the end)
        self.instructions = split_gradients(self.schedule.instructions)
        self.uses = Counter(s for i in self.instructions for s in i.ins) + Counter(self.schedule.outputs)
        self.reverse = any(i.op.list_use == "pop" for i in self.instructions)

    def lower(self) -> tuple[list[Array], list[Array], Array]:
        """The loop's results, the variables it wrote, and the check code."""
        self._place_inputs()
        rest = self._run_ahead([i for i in self.instructions if not self._settle(i)])
        after = AfterLoop(self, rest)
        core = [self._transposed_once(i) for i in rest if i not in after.instructions]
        made = {s for i in after.deferred for s in i.outs}
        wanted = [s for s in (*(item for _, item, _ in self.grown), *after.inputs()) if s not in made]
        state, code = self._run_core(core, after, [s for s in dict.fromkeys(wanted) if not self._known(s)])
        for position, total in after.totals():
            self.results[position] = total
        for position, item, places in self.grown:
            self.results[position] = self._grow(position, self.stack(item), places)
        return self.results, state, code

    def _known(self, slot: int) -> bool:
        return slot in self.fixed or slot in self.stacks

    def stack(self, slot: int) -> Array:
        """A slot's values in all iterations."""
        if slot in self.stacks:
            return self.stacks[slot]
        value = as_array(self.fixed[slot])
        return lax.broadcast(value, (self.trips,))

    # --- known before the loop

    def _place_inputs(self) -> None:
        for position, slot in enumerate(self.schedule.inputs):
            if position not in self.loop.changing:
                self.fixed[slot] = self.values[position]
            elif position in self.count.sequences:
                sequence = self.count.sequences[position]
                self._counted(slot, sequence[::-1] if self.reverse else sequence)
                self.results[position] = self.count.finals[position]
                self.results_known.add(position)

    def _counted(self, slot: int, sequence: Any) -> None:
        """A slot's known values, in the order of stacks."""
        if (sequence == sequence[:1]).all():
            self.fixed[slot] = sequence[0]
        else:
            self.stacks[slot] = sequence

    def _settle(self, instruction: Instruction) -> bool:
        """Whether an instruction need not be in the loop: it is loop-invariant, counted, or uses a list in step."""
        if all(s in self.fixed for s in instruction.ins) and self._run_fixed(instruction):
            return True
        op = instruction.op
        if op.plain and op.lower is None and all(map(self._number, instruction.ins)):
            return self._run_counted(instruction)
        use = getattr(self, f"_{op.list_use}_in_step", None)
        return use is not None and use(instruction)

    def _run_fixed(self, instruction: Instruction) -> bool:
        values = [self.fixed[s] for s in instruction.ins]
        reads = instruction.op.read_indices if instruction.op.only_reads else ()
        unwritten = reads and all(values[i].index not in self.loop.written for i in reads)
        if not unwritten and (not _pure(instruction, True) or any(isinstance(v, (ListValue, Ref)) for v in values)):
            return False
        self.fixed.update(zip(instruction.outs, self.loop.lowering.lower(instruction, values), strict=True))
        return True

    def _number(self, slot: int) -> bool:
        """Whether a slot holds known numbers."""
        value = self.fixed.get(slot, self.stacks.get(slot))
        return isinstance(value, np.ndarray)

    def _run_counted(self, instruction: Instruction) -> bool:
        rows = []
        for row in range(self.trips):
            values = [self.fixed[s] if s in self.fixed else self.stacks[s][row] for s in instruction.ins]
            out = quietly(instruction.op.call, host_xp, [np.asarray(v) for v in values], instruction.attrs)
            rows.append([out] if instruction.op.single else list(out))
            if any(o.size > SMALL for o in rows[0]):
                return False
        for slot, column in zip(instruction.outs, zip(*rows, strict=True), strict=True):
            if len({c.shape for c in column}) > 1:
                return False
            self._counted(slot, np.stack(column))
        return True

    # --- lists that the loop uses in step with its counter; `_settle` selects these by what the op does with a list

    def _get_in_step(self, instruction: Instruction) -> bool:
        held, index, _ = instruction.ins
        value = self.fixed[held] if held in self.fixed else self._in_step(held, index)
        places = self.stacks.get(index)
        if value is None or value.buffer is None or not self._inside(places, value.length):
            return False
        self.stacks[instruction.outs[0]] = _rows(value.buffer, places)
        return True

    def _set_in_step(self, instruction: Instruction) -> bool:
        held, index, item = instruction.ins
        value = self._in_step(held, index)
        if value is None:
            return False
        position = self.schedule.inputs.index(held)
        self.grown.append((position, item, self.stacks[index]))
        self.results_known.add(position)
        return True

    def _in_step(self, held: int, index: int) -> ListValue | None:
        """The list in a loop variable of which each iteration reads and writes one element, each time another."""
        users = [i for i in self.instructions if held in i.ins]
        sets = [i for i in users if i.op.list_use == "set"]
        in_place = all(i.op.list_use in ("get", "set") and i.ins[1] == index for i in users)
        if len(sets) != 1 or not in_place or self.uses[sets[0].outs[0]] != 1 or held not in self.schedule.inputs:
            return None
        position = self.schedule.inputs.index(held)
        value, places = self.values[position], self.stacks.get(index)
        if (
            places is None or self.schedule.outputs[position] != sets[0].outs[0]
            or not self._inside(places, value.length)
        ):
            return None
        return value if len(set(places.tolist())) == self.trips else None

    @staticmethod
    def _inside(places: Any, length: Any) -> bool:
        """Whether these are known positions in a list of known length."""
        known = isinstance(places, np.ndarray) and isinstance(length, int)
        return known and 0 <= places.min() and places.max() < length

    def _pop_in_step(self, instruction: Instruction) -> bool:
        position = self._own_list(instruction)
        if position is None:
            return False
        value = self.loop.values[position]
        if value.buffer is None or not isinstance(value.length, int) or value.length < self.trips:
            return False
        rest = value.length - self.trips
        self.stacks[instruction.outs[1]] = _rows(value.buffer, np.arange(rest, value.length))
        self.results[position] = ListValue(value.buffer, rest, value.dtype, value.dims, value.capacity)
        self.results_known.add(position)
        return True

    def _push_in_step(self, instruction: Instruction) -> bool:
        position = self._own_list(instruction)
        if position is None or not isinstance(self.loop.values[position].length, int):
            return False
        self.grown.append((position, instruction.ins[1], None))
        self.results_known.add(position)
        return True

    def _own_list(self, instruction: Instruction) -> int | None:
        """The loop variable whose list only this instruction uses, once per iteration."""
        before, after = instruction.ins[0], instruction.outs[0]
        if before not in self.schedule.inputs or self.uses[before] != 1 or self.uses[after] != 1:
            return None
        position = self.schedule.inputs.index(before)
        return position if self.schedule.outputs[position] == after else None

    def _grow(self, position: int, items: Any, places: Any) -> ListValue:
        """A list after the loop: `items` were pushed, or written at `places`."""
        value = self.loop.values[position]
        if places is None:
            items = items[::-1] if self.reverse else items
            if value.length:
                items = lax.concatenate([lax.slice_in_dim(as_array(value.buffer), 0, value.length), items], 0)
            return ListValue(items, value.length + self.trips, value.dtype, value.dims, items.shape[0])
        value = self.values[position]  # may be longer than before the loop
        buffer = value.buffer
        if len(places) == buffer.shape[0]:
            buffer = _rows(items, np.argsort(places))
        else:
            buffer = as_array(buffer).at[places].set(items)
        return ListValue(buffer, value.length, value.dtype, value.dims, buffer.shape[0])

    # --- ahead

    def _run_ahead(self, rest: Sequence[Instruction]) -> list:
        """Run the products that need no result of the loop, and what they depend on; returns the other instructions."""
        movable = self._movable(rest)
        needed: set = set()
        chosen = []
        for instruction in reversed(rest):
            if instruction in movable and (is_heavy(instruction) or needed.intersection(instruction.outs)):
                chosen.append(instruction)
                needed.update(instruction.ins)
        chosen.reverse()
        others = [i for i in rest if i not in chosen]
        read = {s for i in others for s in i.ins}.union(self.schedule.outputs, (item for _, item, _ in self.grown))
        self.vmapped(chosen, [s for i in chosen for s in i.outs if s in read])
        return others

    def _movable(self, rest: Sequence[Instruction]) -> set:
        ahead: set = set()
        slots: set = set()
        for instruction in rest:
            known = all(self._array(s) or s in slots for s in instruction.ins)
            if known and _pure(instruction, self.skip_checks) and self.static_known(instruction):
                ahead.add(instruction)
                slots.update(instruction.outs)
        return ahead

    def _array(self, slot: int) -> bool:
        return slot in self.stacks or slot in self.fixed and not isinstance(self.fixed[slot], (ListValue, Ref))

    def static_known(self, instruction: Instruction) -> bool:
        """Whether the operands that XLA needs as values are loop-invariant."""
        ins = instruction.ins
        places = instruction.op.static_places(instruction.attrs, len(ins))
        return all(isinstance(self.fixed.get(ins[p]), np.ndarray) for p in places)

    def vmapped(self, instructions: Sequence[Instruction], outs: Sequence[int]) -> None:
        """Run instructions for all iterations at once; `outs` become stacks."""
        if not outs:
            return
        made = {s for i in instructions for s in i.outs}
        ins = [s for s in dict.fromkeys(s for i in instructions for s in i.ins) if s in self.stacks and s not in made]
        lowering = self.loop.lowering

        def once(*values: Any) -> Any:
            env = self.fixed | dict(zip(ins, values, strict=True))
            lowering.child().run_instructions(instructions, env)
            return [as_array(env[s]) for s in outs]

        with swapped(native=False):
            results = jax.vmap(once)(*[as_array(self.stacks[s]) for s in ins])
        self.stacks.update(zip(outs, results, strict=True))

    # --- the core

    def _transposed_once(self, instruction: Instruction) -> Instruction:
        """A product `g·wᵀ` with a loop-invariant `w`, with `wᵀ` computed before the loop.

        XLA would transpose it in each iteration, as part of the product (40 of (32, 512)·(512, 128): 2.0 ms; 1.7 with
        this).
        """
        attrs = instruction.attrs
        if _differentiated(instruction) is not matmul or attrs["wanted"] != (True, False) or attrs["ins"] != (0, 1):
            return instruction
        _, weights, cotangent = instruction.ins
        value, forward = self.fixed.get(weights), attrs["forward_attrs"]
        if value is None or value.dtype.kind != "f" or forward.get("transpose_a") or forward.get("transpose_b"):
            return instruction
        slot = ("transposed", weights)
        self.fixed[slot] = lax.optimization_barrier(lax.transpose(as_array(value), (1, 0)))
        return Instruction(matmul, {}, (cotangent, slot), instruction.outs, instruction.node)

    def _run_core(self, core: Sequence[Instruction], after: AfterLoop, kept: Sequence[int]) -> Any:
        """The recurrence; afterwards `kept` slots are stacks."""
        loop, schedule = self.loop, self.schedule
        carried = [i for i in loop.changing if i not in self.results_known and i not in after.positions]
        used = {s for i in core for s in i.ins}.union(schedule.outputs[i] for i in carried)
        xs = {s: as_array(self.stacks[s]) for s in sorted(used.intersection(self.stacks))}
        first: dict = {}  # of slots that hold the same value, only the first is kept

        def step(carry: Any, rows: Any) -> Any:
            values, state, code = carry
            scope = loop.scope(state, code)
            env = self.fixed | rows
            env.update(zip((schedule.inputs[i] for i in carried), values, strict=True))
            scope.run_instructions(core, env)
            after = [plain(env[schedule.outputs[i]]) for i in carried]
            rows_out = {s: as_array(env[s]) for s in kept}
            first.update({s: next(k for k in kept if rows_out[k] is rows_out[s]) for s in kept})
            return (after, *loop.carried_out(scope)), {s: rows_out[s] for s in kept if first[s] == s}

        start = ([plain(self.values[i]) for i in carried], *loop.outer_state())
        (values, state, code), stacks = lax.scan(step, start, xs, length=self.trips, reverse=self.reverse)
        self.stacks.update({s: stacks[first[s]] for s in kept})
        for position, value in zip(carried, values, strict=True):
            self.results[position] = value
        return state, code


def _rows(buffer: Array, places: Any) -> Array:
    """The elements of a buffer at known positions: a slice if possible."""
    if isinstance(buffer, np.ndarray):
        return buffer[places]
    first, count = int(places[0]), len(places)
    if (places == np.arange(first, first + count)).all():
        return buffer if count == buffer.shape[0] else lax.slice_in_dim(as_array(buffer), first, first + count)
    return as_array(buffer)[places]


class AfterLoop:
    """What runs after the loop: products that only a sum over all iterations (`v = v + a·b`) or their stack needs."""

    def __init__(self, scan: Scan, rest: Sequence[Instruction]) -> None:
        self.scan, self.trips = scan, scan.trips
        self.maker = {s: i for i in rest for s in i.outs}
        adds = self._accumulations()
        self.deferred = self._from_products(rest, self._deferrable(rest, set(adds)))
        self.positions = {adds[i]: i for i in self.deferred if i in adds}
        self.instructions = set(self.deferred)

    def _accumulations(self) -> dict:
        """Instructions that add to a loop variable that nothing else reads, and its position."""
        scan, found = self.scan, {}
        for position, (before, after) in enumerate(zip(scan.schedule.inputs, scan.schedule.outputs, strict=True)):
            add = self.maker.get(after)
            if add is None or not add.op.addition or scan.uses[before] != 1 or scan.uses[after] != 1:
                continue
            if before in add.ins and not isinstance(scan.values[position], ListValue):
                found[add] = position
        return found

    def _deferrable(self, rest: Sequence[Instruction], found: set[Instruction]) -> set:
        """The instructions whose results are used only by these additions and the stacks."""
        scan = self.scan
        users: dict = {}
        for instruction in rest:
            for slot in instruction.ins:
                users.setdefault(slot, []).append(instruction)
        visible = {o for i in rest for o in i.outs}.intersection(scan.schedule.outputs)
        for instruction in reversed(rest):
            hidden = not visible.intersection(instruction.outs) and _pure(instruction, scan.skip_checks)
            fits = hidden and scan.static_known(instruction) and all(map(self._plain, instruction.ins))
            if fits and all(u in found for s in instruction.outs for u in users.get(s, ())):
                found.add(instruction)
        return found

    def _plain(self, slot: int) -> bool:
        return not isinstance(self.scan.fixed.get(slot), (ListValue, Ref))

    @staticmethod
    def _from_products(rest: Sequence[Instruction], deferrable: set[Instruction]) -> list:
        """The products and sums over rows among instructions, and what depends on them, in order."""
        made: set = set()
        found = []
        for instruction in rest:
            begins = is_heavy(instruction) or instruction.op.sums_rows is not None
            if instruction in deferrable and (begins or made.intersection(instruction.ins)):
                found.append(instruction)
                made.update(instruction.outs)
        return found

    def _terms(self, position: int) -> list:
        add = self.positions[position]
        own = self.scan.schedule.inputs[position]
        return [s for s in add.ins if s != own]

    def inputs(self) -> list:
        """The slots of the core that are needed for all iterations."""
        own = {self.scan.schedule.inputs[p] for p in self.positions}
        made = {s for i in self.deferred for s in i.outs}
        return [s for i in self.deferred for s in i.ins if s not in made and s not in own]

    def totals(self) -> Iterator[tuple[int, Array]]:
        """Pairs of a position and its value after the loop."""
        scan = self.scan
        terms = [s for p in self.positions for s in self._terms(p)]
        merged = {s: self._at_once(self.maker.get(s)) for s in terms if scan.uses[s] == 1}
        merged = {s: total for s, total in merged.items() if total is not None}
        left = [i for i in self.deferred if i not in self.positions.values() and not merged.keys() & set(i.outs)]
        made = {s for i in left for s in i.outs}
        scan.vmapped(left, [s for s in (*terms, *(item for _, item, _ in scan.grown)) if s in made])
        for position in self.positions:
            total = as_array(scan.values[position])
            for slot in self._terms(position):
                term = merged[slot] if slot in merged else xla_xp.sum(scan.stack(slot), (0,))
                total = xla_xp.add(total, term)
            yield position, total

    def _at_once(self, maker: Instruction | None) -> Array | None:
        """The sum over all iterations of a term that itself sums over rows: one sum over all rows.

        None for other terms.
        """
        if maker is None or maker not in self.instructions:
            return None
        if any(s in self.maker and self.maker[s] in self.instructions for s in maker.ins):
            return None
        if maker.op.sums_rows is not None and maker.op.sums_rows(maker.attrs):
            return maker.op.call(xla_xp, [self._all_rows(maker.ins[0])], maker.attrs)
        if _differentiated(maker) is matmul and maker.attrs["wanted"] == (False, True):
            return self._weights_gradient(maker)
        return None

    def _weights_gradient(self, vjp: Instruction) -> Array | None:
        """The sum of `aᵀ·g`, the gradient of the weights in `a·w`."""
        attrs = vjp.attrs
        if attrs["forward_attrs"].get("transpose_a") or attrs["ins"] != (0, 1) or attrs["outs"]:
            return None
        rows, weights, cotangent = vjp.ins
        if weights not in self.scan.fixed:
            return None
        operands = [self._all_rows(rows), self.scan.fixed[weights], self._all_rows(cotangent)]
        (total,) = vjp.op.call(xla_xp, operands, attrs)
        return total

    def _all_rows(self, slot: int) -> Array:
        return lax.collapse(self.scan.stack(slot), 0, 2)
