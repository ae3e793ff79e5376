"""Partitioning: a schedule's instructions divided into host steps and regions.

Instructions that XLA supports form regions; the others run on the host. There should be as few regions as possible.
Whenever host instructions are ready, they run first (an iterator read moves before the region that needs it). Then
everything that has become ready forms one region, and what depends on its results (prints, asserts) follows. Order is
kept where it is observable: between a variable's writes and its other uses, among host effects, and where the user
asked for it (`tf.control_dependencies`).

`PASSES` do the work, in order; each adds one thing to the `Partition`. `REFLOW_DUMP=folder` writes it out after each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from reflow.compile import dump
from reflow.compile.region import Region
from reflow.core.context import state
from reflow.graph.derived import derived
from reflow.graph.func_graph import FuncGraph
from reflow.runtime.interpret import host_value, run_instructions
from reflow.runtime.schedule import schedule_of

if TYPE_CHECKING:
    from reflow.core.dtypes import DType
    from reflow.runtime.schedule import Env, Instruction, Schedule


class HostStep:
    """Instructions that run on the host, one by one."""

    def __init__(self, instructions: Sequence[Instruction]) -> None:
        self.instructions = instructions
        self.frees = [()] * len(instructions)

    def run(self, env: Env) -> None:
        for instruction in self.instructions:
            if not instruction.op.stores:
                for slot in instruction.ins:
                    env[slot] = host_value(env[slot])
        run_instructions(self.instructions, env, self.frees)


#: Instructions in a region, and in each piece of a larger one. XLA takes 1 s for 2,000 small instructions, 28 for
#: 15,000 and 142 for 75,000; pieces keep that linear. Models have far fewer, and are faster in one piece.
MOST, PIECE = 15_000, 3_000

#: the steps that a plan runs one after the other
Step: TypeAlias = HostStep | Region


class Partition:
    """A schedule on its way to steps: the results of the passes so far."""

    def __init__(
        self, schedule: Schedule, forced_host: set[Instruction], jit_compile: bool, new_region: type[Region] | None
    ) -> None:
        self.schedule, self.forced_host, self.jit_compile = schedule, forced_host, jit_compile
        self.before: list = []  # for each instruction, those that must run before it
        self.on_host: list = []  # for each instruction, whether the host runs it
        self.devices: list = []  # for each instruction, the device that it requests, if there is a choice
        self.chosen_region = new_region  # on a mesh, whose regions have no device of their own
        self.new_region: type[Region] = new_region or Region
        self.groups: list = []  # (whether on the host, indices of instructions)
        self.steps: list = []


def partition(
    schedule: Schedule, forced_host: set[Instruction], jit_compile: bool, new_region: type[Region] | None = None
) -> list:
    """The steps of a schedule.

    Instructions in `forced_host` have turned out to be impossible in a program. `new_region` is the class of its
    regions, unless devices determine it.
    """
    draft = Partition(schedule, forced_host, jit_compile, new_region)
    for name, run in PASSES:
        run(draft)
        dump.after_pass(draft, name)
    return draft.steps


def lowerable(instruction: Instruction, dtypes_of: Iterable[DType]) -> bool:
    """Whether an instruction may be part of a program, as far as is known before shapes are."""
    op = instruction.op
    if op.lower is None and (op.host or op.stateful):
        return False
    takes_objects = op.lower is not None or op.identity or op.variants
    for dtype in dtypes_of:
        if dtype.kind == "s":
            return False
        if dtype.kind == "o" and not takes_objects:
            return False
    return not instruction.graphs or all(map(_all_lowerable, instruction.graphs))


@derived
def _all_lowerable(graph: FuncGraph) -> bool:
    schedule = schedule_of(graph)
    return all(lowerable(i, [schedule.dtypes[s] for s in (*i.ins, *i.outs)]) for i in schedule.instructions) and all(
        schedule.dtypes[s].kind != "s" for s in (*schedule.inputs, *schedule.outputs)
    )


def touches(instruction: Instruction, dtypes: Sequence[DType]) -> list:
    """The resources an instruction uses: (slot, whether it writes)."""
    resources = [(p, s) for p, s in enumerate(instruction.ins) if dtypes[s].name == "resource"]
    if not resources:
        return []
    graphs = instruction.graphs
    if not graphs:
        return [(s, p not in instruction.op.read_indices) for p, s in resources]
    offset = len(instruction.ins) - len(graphs[0].inputs)
    written = set().union(*[_written_inputs(g) for g in graphs])
    return [(s, p - offset in written) for p, s in resources]


@derived
def _written_inputs(graph: FuncGraph) -> frozenset[int]:
    """The positions of the inputs that a graph writes.

    Cached: a Keras step calls a graph of thousands of nodes with hundreds of variables, and walking it for each of them
    took 7 s of ResNet-50's first epoch.
    """
    schedule = schedule_of(graph)
    slots = {s for i in schedule.instructions for s, writes in touches(i, schedule.dtypes) if writes}
    return frozenset(p for p, s in enumerate(schedule.inputs) if s in slots)


def _host(draft: Partition) -> None:
    """Which instructions run on the host, because XLA has no form of them or lowering rejected them."""
    schedule = draft.schedule
    for i in schedule.instructions:
        on_host = i in draft.forced_host or not lowerable(i, [schedule.dtypes[s] for s in (*i.ins, *i.outs)])
        draft.on_host.append(on_host)


def _lists(draft: Partition) -> None:
    """Keep a list that comes from the host there while it is only read, written or extended.

    Those operations are cheap in Python, and a program would be specialized for each length. Loops and branches may
    take it into a program.
    """
    schedule = draft.schedule
    outside = {s for s in schedule.inputs if schedule.dtypes[s].name == "variant"}
    for n, instruction in enumerate(schedule.instructions):
        if not instruction.graphs and not outside.isdisjoint(instruction.ins):
            draft.on_host[n] = True
        if draft.on_host[n]:
            outside.update(s for s in instruction.outs if schedule.dtypes[s].name == "variant")


def _effects(instruction: Instruction, dtypes: Sequence[DType]) -> tuple:
    """Whether an instruction, or one in a branch or loop that it runs, has an effect on the host (a print, an assert),
    and whether it runs Python code, which could touch anything.
    """
    op = instruction.op
    graphs = instruction.graphs
    if graphs:
        inside = [_graph_effects(g) for g in graphs]
        return any(e for e, _ in inside), any(o for _, o in inside)
    if not op.stateful or op.meets:
        return False, False
    return op.lower is None and not touches(instruction, dtypes), op.opaque


@derived
def _graph_effects(graph: FuncGraph) -> tuple[bool, bool]:
    schedule = schedule_of(graph)
    found = [_effects(i, schedule.dtypes) for i in schedule.instructions]
    return any(e for e, _ in found), any(o for _, o in found)


def _order(draft: Partition) -> None:
    draft.before = order(draft.schedule)


def order(schedule: Schedule) -> list[set[int]]:
    """For each instruction the indices of those that must run before it."""
    before: list[set[int]] = []
    made_by: dict = {}
    last_write: dict = {}
    readers: dict = {}
    last_effect = None
    stateful: list = []
    barrier = None
    for n, instruction in enumerate(schedule.instructions):
        needs = {made_by[s] for s in instruction.ins if s in made_by} | instruction.after
        used = touches(instruction, schedule.dtypes)
        for slot, writes in used:
            if slot in last_write:
                needs.add(last_write[slot])
            if writes:
                needs.update(readers.pop(slot, ()))
                last_write[slot] = n
            else:
                readers.setdefault(slot, set()).add(n)
        if instruction.op.stateful:
            if barrier is not None:
                needs.add(barrier)
            effect, opaque = _effects(instruction, schedule.dtypes)
            if opaque:
                needs.update(stateful)
                barrier = n
            if effect:
                if last_effect is not None:
                    needs.add(last_effect)
                last_effect = n
            stateful.append(n)
        for slot in instruction.outs:
            made_by[slot] = n
        before.append(needs)
    return before


def _devices(draft: Partition) -> None:
    """The device that each instruction requests, if there are several: a region has one device."""
    if state.place is None or draft.chosen_region is not None:
        draft.devices = [""] * len(draft.schedule.instructions)
        return
    from reflow.compile import placed_region  # imported here because only accelerators need its dependencies

    draft.new_region = placed_region.PlacedRegion
    draft.devices = [placed_region.device_of(i) for i in draft.schedule.instructions]


def _group(draft: Partition) -> None:
    """Repeatedly take what is ready: host instructions first, then a region (per device)."""
    left = list(range(len(draft.schedule.instructions)))
    done: set = set()
    while left:
        for host, device in ((True, None), *[(False, d) for d in dict.fromkeys(draft.devices)]):
            taken = []
            for i in left:
                if draft.on_host[i] is host and (host or draft.devices[i] == device) and draft.before[i] <= done:
                    taken.append(i)
                    done.add(i)
            left = [i for i in left if i not in done]
            draft.groups += [
                (host, piece) for piece in ([taken] if host or draft.jit_compile else _pieces(taken)) if piece
            ]


def _pieces(group: list[int]) -> list[list[int]]:
    """A region's instructions, split into pieces if there are very many."""
    size = PIECE if len(group) > MOST else len(group) or 1
    return [group[first : first + size] for first in range(0, len(group), size)]


def _steps(draft: Partition) -> None:
    """Turn each group into a step: find a region's inputs, its outputs and the variables it uses."""
    for n, (host, group) in enumerate(draft.groups):
        instructions = [draft.schedule.instructions[i] for i in group]
        later = [i for _, g in draft.groups[n + 1 :] for i in g]
        draft.steps.append(HostStep(instructions) if host else _region(draft, instructions, later))
        if not host:
            draft.steps[-1].device = draft.devices[group[0]]


def _region(draft: Partition, instructions: Sequence[Instruction], later: Sequence[int]) -> Region:
    schedule = draft.schedule
    made = {s for i in instructions for s in i.outs}
    used = dict.fromkeys(s for i in instructions for s in i.ins if s not in made)
    reads: dict = {}
    writes: dict = {}
    for instruction in instructions:
        for slot, does_write in touches(instruction, schedule.dtypes):
            (writes if does_write else reads)[slot] = None
    read_later = {s for i in later for s in schedule.instructions[i].ins}.union(schedule.outputs)
    outputs = [s for s in dict.fromkeys(s for i in instructions for s in i.outs) if s in read_later]
    inputs = [s for s in used if schedule.dtypes[s].name != "resource"]
    region = draft.new_region(
        instructions, inputs, outputs, [s for s in reads if s not in writes], list(writes), draft.jit_compile
    )
    if any(i.op.flow == "call" for i in instructions):
        region.compile_at = 1  # a function with `jit_compile` would be compiled separately in the first call anyway
    return region


#: the passes, in order; each takes the `Partition` and adds to it
PASSES = (
    ("host", _host),
    ("lists", _lists),
    ("order", _order),
    ("devices", _devices),
    ("group", _group),
    ("steps", _steps),
)
