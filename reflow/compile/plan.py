"""A plan: a function's instructions cut into host steps and regions.

Instructions that XLA can take form regions; the others run on the host. The cut looks for as few regions as possible:
whenever host
instructions are ready they run first (an iterator read moves before the region that needs it), then everything that has
become ready forms one region, and what depends on its results (prints, asserts) follows. Order is kept where it can be seen:
between a variable's writes and its other uses, and among host effects.
"""

from __future__ import annotations

from reflow.compile.lowering import RULES
from reflow.compile.region import CannotCompile, Region
from reflow.compile.state_rules import READS, WRITES
from reflow.graph.clone import graphs_in
from reflow.runtime.interpret import host_value, interpret, run_instructions
from reflow.runtime.schedule import schedule

SKIPPED_BY_XLA = frozenset({"Assert", "NoOp"})  # under jit_compile, as in TensorFlow
OPAQUE = frozenset({"EagerPyFunc", "PyFunc", "PyFuncStateless"})


class HostStep:
    """Instructions that run on the host, one by one."""

    def __init__(self, instructions):
        self.instructions = instructions
        self.frees = [()] * len(instructions)

    def run(self, env):
        for instruction in self.instructions:
            for slot in instruction.ins:
                env[slot] = host_value(env[slot])
        run_instructions(self.instructions, env, self.frees)


def lowerable(instruction, dtypes_of) -> bool:
    """Whether an instruction may enter a program, as far as can be said before shapes are known."""
    op = instruction.op
    if op.name not in RULES and (op.host or op.stateful):
        return False
    for dtype in dtypes_of:
        if dtype.kind == "s":
            return False
        if dtype.kind == "o" and op.name not in RULES:
            return False
    return all(_all_lowerable(g) for g in graphs_in(instruction.attrs))


def _all_lowerable(graph) -> bool:
    plan = schedule(graph)
    key = ("lowerable", plan.size)
    if key not in graph.plans:
        graph.plans[key] = all(
            lowerable(i, [plan.dtypes[s] for s in (*i.ins, *i.outs)]) for i in plan.instructions
        ) and all(plan.dtypes[s].kind != "s" for s in (*plan.inputs, *plan.outputs))
    return graph.plans[key]


def touches(instruction, dtypes) -> list:
    """The resources an instruction uses: (slot, whether it writes)."""
    name = instruction.op.name
    if name in READS:
        return [(instruction.ins[0], False)]
    if name in WRITES:
        return [(instruction.ins[0], True)]
    resources = [(p, s) for p, s in enumerate(instruction.ins) if dtypes[s].name == "resource"]
    if not resources:
        return []
    graphs = graphs_in(instruction.attrs)
    if not graphs:
        return [(s, True) for _, s in resources]
    offset = len(instruction.ins) - len(graphs[0].inputs)
    return [(s, any(_graph_writes(g, p - offset) for g in graphs)) for p, s in resources]


def _graph_writes(graph, position) -> bool:
    plan = schedule(graph)
    if position < 0:
        return False
    slot = plan.inputs[position]
    return any(s == slot and w for i in plan.instructions for s, w in touches(i, plan.dtypes))


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
        self.steps = _cut(self.schedule, self.forced_host, self.jit_compile)
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


def _cut(plan, forced_host, jit_compile) -> list:
    """Instructions as steps, by repeatedly taking what is ready: host instructions first, then a region."""
    instructions = plan.instructions
    before = _dependencies(plan)
    on_host = [i in forced_host or not lowerable(i, [plan.dtypes[s] for s in (*i.ins, *i.outs)]) for i in instructions]
    _lists_from_outside(plan, on_host)
    left = list(range(len(instructions)))
    done: set = set()
    groups: list = []

    def take(host: bool):
        nonlocal left
        taken, rest = [], []
        for i in left:
            if on_host[i] is host and before[i] <= done:
                taken.append(i)
                done.add(i)
            else:
                rest.append(i)
        left = rest
        return taken

    while left:
        hosts = take(True)
        if hosts:
            groups.append((True, hosts))
        region = take(False)
        if region:
            groups.append((False, region))
    return [
        _step(plan, host, [instructions[i] for i in g], groups[n + 1 :], jit_compile)
        for n, (host, g) in enumerate(groups)
    ]


def _lists_from_outside(plan, on_host):
    """A list that enters from the host stays there while it is only read, written or lengthened: those are cheap in
    Python, and a
    program would be specialised for each length. Loops and branches may take it in."""
    outside = {s for s in plan.inputs if plan.dtypes[s].name == "variant"}
    for n, instruction in enumerate(plan.instructions):
        if not graphs_in(instruction.attrs) and not outside.isdisjoint(instruction.ins):
            on_host[n] = True
        if on_host[n]:
            outside.update(s for s in instruction.outs if plan.dtypes[s].name == "variant")


def _dependencies(plan) -> list:
    """For each instruction the indices of those that must run before it."""
    made_by: dict = {}
    last_write: dict = {}
    readers: dict = {}
    last_effect = None
    stateful: list = []
    barrier = None
    out = []
    for n, instruction in enumerate(plan.instructions):
        needs = {made_by[s] for s in instruction.ins if s in made_by}
        used = touches(instruction, plan.dtypes)
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
            if instruction.op.name in OPAQUE:
                needs.update(stateful)
                barrier = n
            if not used and instruction.op.name not in RULES:
                if last_effect is not None:
                    needs.add(last_effect)
                last_effect = n
            stateful.append(n)
        for slot in instruction.outs:
            made_by[slot] = n
        out.append(needs)
    return out


def _step(plan, host, instructions, later_groups, jit_compile):
    if host:
        return HostStep(instructions)
    made = {s for i in instructions for s in i.outs}
    used = dict.fromkeys(s for i in instructions for s in i.ins if s not in made)
    reads, writes = {}, {}
    for instruction in instructions:
        for slot, does_write in touches(instruction, plan.dtypes):
            (writes if does_write else reads)[slot] = None
    reads = [s for s in reads if s not in writes]
    later = set(plan.outputs)
    for _, group in later_groups:
        for i in group:
            later.update(plan.instructions[i].ins)
    outputs = [s for s in dict.fromkeys(s for i in instructions for s in i.outs) if s in later]
    inputs = [s for s in used if plan.dtypes[s].name != "resource"]
    return Region(instructions, inputs, outputs, reads, list(writes), jit_compile)


def run_plan(graph, values):
    """Run a FuncGraph by its plan: what `FuncGraph.run` does."""
    plan = graph.plans.get("plan")
    if plan is None or plan.schedule.size != len(graph.nodes) or len(plan.schedule.outputs) != len(graph.outputs):
        plan = graph.plans["plan"] = Plan(graph)
    return plan.run(values)


_ = interpret
