"""Reflow from scratch: the core of the project in one file, from a single op to a training step that XLA runs.

Read it from top to bottom: each chapter adds one idea and checks it. Names are those of the real code, and every
chapter says where its grown-up twin lives. What is left out is told in the last lines.

    python docs/from_scratch.py
"""

import contextlib
import itertools
import sys
from collections import deque
from types import SimpleNamespace
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

# 1. An op is one record, in one vocabulary                     (ops/registry.py, ops/host_numpy.py, ops/xla_numpy.py)
#
# An op runs in two worlds: now, where NumPy answers in a microsecond, and inside a compiled program, where JAX traces
# it for XLA. To write it once we make a small vocabulary, the *facade* `xp`, with two implementations.

def facade(np):
    def sum_to_like(x, like):
        """Undo a broadcast. The model is a tensor, not a shape: in a graph, nobody knows the shape yet."""
        x = np.sum(x, axis=tuple(range(x.ndim - like.ndim)))
        return np.sum(x, axis=tuple(i for i, n in enumerate(like.shape) if n == 1 != x.shape[i]), keepdims=True)

    return SimpleNamespace(
        add=np.add, subtract=np.subtract, multiply=np.multiply, negative=np.negative, matmul=np.matmul, tanh=np.tanh,
        transpose=np.transpose, sum=np.sum, ones_like=np.ones_like, sum_to_like=sum_to_like,
        broadcast_like=lambda x, like: np.broadcast_to(x, like.shape))

host_numpy, xla_numpy = facade(np), facade(jnp)

# Everything the system knows about an op stands in one record; whoever comes later (the tape, the graph, the compiler)
# looks there. A gradient is `grad(xp, inputs, output, ct)`: from `ct`, the *cotangent* of the output (how much the
# final result changes with it), to those of the inputs.

REGISTRY = {}

class Op:
    def __init__(self, name, kernel, grad=None, grad_tensors=None, outputs=1, stateful=False, host=False):
        self.name, self.kernel, self.grad = name, kernel, grad
        self.grad_tensors = grad_tensors  # a gradient on tensors instead of arrays: chapter 4
        self.outputs = outputs  # how many
        self.stateful = stateful  # reads or writes a variable, whose handle it gets first: chapter 4
        self.host = host  # never part of a program: chapter 9

    def call(self, xp, values, attrs):
        """The kernel on raw values; always a list."""
        out = self.kernel(xp, *values, **attrs)
        return list(out) if isinstance(out, (list, tuple)) else [out]

def op(name, **facts):
    def register(kernel):
        assert name not in REGISTRY, f"Op {name!r} is registered twice."
        REGISTRY[name] = Op(name, kernel, **facts)
        return REGISTRY[name]

    return register

def to_both(xp, inputs, *cts):
    return [xp.sum_to_like(ct, x) for x, ct in zip(inputs, cts)]

op("AddV2", grad=lambda xp, ins, y, ct: to_both(xp, ins, ct, ct))(lambda xp, a, b: xp.add(a, b))
op("Sub", grad=lambda xp, ins, y, ct: to_both(xp, ins, ct, xp.negative(ct)))(lambda xp, a, b: xp.subtract(a, b))
op("Mul", grad=lambda xp, ins, y, ct: to_both(xp, ins, xp.multiply(ct, ins[1]), xp.multiply(ct, ins[0])))(
    lambda xp, a, b: xp.multiply(a, b))
op("MatMul", grad=lambda xp, ins, y, ct: [xp.matmul(ct, xp.transpose(ins[1])), xp.matmul(xp.transpose(ins[0]), ct)])(
    lambda xp, a, b: xp.matmul(a, b))
op("Tanh", grad=lambda xp, ins, y, ct: [xp.subtract(ct, xp.multiply(ct, xp.multiply(y, y)))])(lambda xp, a: xp.tanh(a))
op("Sum", grad=lambda xp, ins, y, ct: [xp.broadcast_like(ct, ins[0])])(lambda xp, a: xp.sum(a))
op("OnesLike")(lambda xp, a: xp.ones_like(a))
op("Const")(lambda xp, value: value)

for xp in (host_numpy, xla_numpy):
    gradients = REGISTRY["AddV2"].grad(xp, [np.ones((2, 3)), np.ones((1, 3))], None, np.ones((2, 3)))
    assert [g.tolist() for g in gradients] == [[[1.0] * 3] * 2, [[2.0] * 3]]
print(f"1  one record, two worlds                 {len(REGISTRY)} ops; NumPy and JAX agree")

# 2. The door                                                                          (ops/door.py, eager/execute.py)
#
# User code holds tensors: values that never change, each with a number that is never used again. Every op goes through
# one function, `dispatch`, which alone decides: is a graph being built? Then add a node; else run the kernel. And it
# tells the tapes. The whole mode of the program is `state`, two fields.

new_id = itertools.count(1).__next__
state = SimpleNamespace(graph=None, tapes=())

class Tensor:
    graph = None  # where it belongs: chapter 5
    is_handle = False  # whether it stands for a variable: chapter 4

    def __init__(self):
        self._id = new_id()

    value = lambda self: self
    __add__ = lambda self, other: run("AddV2", self, other)
    __sub__ = lambda self, other: run("Sub", self, other)
    __mul__ = lambda self, other: run("Mul", self, other)
    __matmul__ = lambda self, other: run("MatMul", self, other)

class EagerTensor(Tensor):
    def __init__(self, value):
        super().__init__()
        self._value = value

    def numpy(self):
        return np.array(self._value)

def convert_to_tensor(x):
    return x.value() if isinstance(x, Tensor) else run("Const", value=np.array(x, np.float32))

def dispatch(op, inputs, attrs):
    if state.graph is None:
        outputs = [EagerTensor(v) for v in op.call(host_numpy, [t._value for t in inputs], attrs)]
    else:
        outputs = state.graph.add(op, inputs, attrs)
    for tape in state.tapes:
        tape.record(op, inputs, outputs, attrs)
    return outputs

def run(name, *inputs, **attrs):
    outputs = dispatch(REGISTRY[name], [convert_to_tensor(x) for x in inputs], attrs)
    return outputs[0] if len(outputs) == 1 else outputs

a, x = convert_to_tensor([1.0, 2.0]), convert_to_tensor(3.0)
assert (a * a + x).numpy().tolist() == [4.0, 7.0]
print("2  one door for every op                  [1, 2]**2 + 3 = [4, 7]")

# 3. The tape, and one reverse pass                              (eager/tape.py, ops/reverse.py, ops/kernels/vjp.py)
#
# To differentiate, remember what happened as records (op, inputs, outputs, attrs), then walk them backwards, handing
# cotangents from outputs to inputs. The gradient of one op is *itself an op*, `Reflow>VJP`, that goes through the door:
# the pass does not know whether it runs now or builds a graph, and so one function serves tapes, graphs and calls.
# (For second derivatives the real code runs `grad` once more on a third facade, ops/tensor_numpy.py, whose words are
# ops on tensors: the gradient becomes ordinary ops, which a tape can record and TensorFlow can read.)

class GradientTape:
    def __init__(self, sources=()):
        self.records, self.watched = [], {t._id for t in sources}

    def __enter__(self):
        state.tapes = (*state.tapes, self)
        return self

    def __exit__(self, *exc):
        state.tapes = tuple(t for t in state.tapes if t is not self)

    def record(self, op, inputs, outputs, attrs):
        if any(t.is_handle or t._id in self.watched for t in inputs):
            self.records.append((op, inputs, outputs, attrs))
            self.watched.update(t._id for t in outputs)

    def gradient(self, target, sources):
        sources = [getattr(s, "handle", s) for s in sources]  # a variable is known by its handle: chapter 4
        return reverse(self.records, [target], [run("OnesLike", target)], sources)

def reverse(records, targets, seeds, sources):
    """The cotangents of `sources`, None where no path leads, given those of `targets`."""
    cotangents = {t._id: seed for t, seed in zip(targets, seeds)}
    for op, inputs, outputs, attrs in reversed(records):
        cts = [cotangents.get(t._id) for t in outputs]
        if any(ct is not None for ct in cts):
            for t, ct in zip(inputs, op_gradient(op, attrs, inputs, outputs, cts)):
                if ct is not None:
                    cotangents[t._id] = cotangents[t._id] + ct if t._id in cotangents else ct
    return [cotangents.get(s._id) for s in sources]

def op_gradient(op, attrs, inputs, outputs, cts):
    if op.grad_tensors is not None:
        return op.grad_tensors(attrs, inputs, outputs, cts)
    if op.grad is None:
        raise LookupError(f"No gradient defined for operation {op.name!r}.")
    return dispatch(REGISTRY["Reflow>VJP"], [*inputs, *outputs, *cts], {"forward": op})

@op("Reflow>VJP", outputs=-2)
def vjp(xp, *values, forward):
    *inputs, output, ct = values
    return forward.grad(xp, inputs, output, ct)

with GradientTape([a, x]) as tape:
    y = run("Sum", a * x * x)
assert [g.numpy().tolist() for g in tape.gradient(y, [a, x])] == [[9.0, 9.0], 18.0]
print("3  a tape and one reverse pass            d(a x^2): 9 for each a, 18 for x")

# 4. Variables                                                               (core/resources.py, ops/kernels/state.py)
#
# A variable is a *cell* with a value in it, reached through a *handle*, and the handle is the value of a tensor like
# any other. Reading and writing are ops. What was read stays what it is, and its cotangent goes to the handle: below,
# the tape answers for the value that was read, not for the one assigned later.

class Cell:
    __slots__ = ("buf",)

    def __init__(self, buf=None):
        self.buf = buf

class Handle:
    def __init__(self, value):
        self.cell = Cell(value)

    def read(self):
        return np.asarray(self.cell.buf)

    def write(self, value):
        self.cell.buf = value
        return []

op("ReadVariableOp", stateful=True, grad_tensors=lambda attrs, ins, outs, cts: cts)(lambda xp, handle: handle.read())
op("AssignVariableOp", stateful=True, outputs=0)(lambda xp, handle, value: handle.write(value))
op("AssignSubVariableOp", stateful=True, outputs=0)(
    lambda xp, handle, value: handle.write(xp.subtract(handle.read(), value)))

class Variable(Tensor):
    def __init__(self, value):
        self.handle = EagerTensor(Handle(np.array(value, np.float32)))
        self.handle.is_handle = True  # tapes watch it by themselves

    value = lambda self: run("ReadVariableOp", self.handle)
    assign = lambda self, value: run("AssignVariableOp", self.handle, value)
    assign_sub = lambda self, value: run("AssignSubVariableOp", self.handle, value)
    numpy = lambda self: self.value().numpy()

v = Variable(3.0)
with GradientTape() as tape:
    y = v * v * v
v.assign(10.0)
assert tape.gradient(y, [v])[0].numpy() == 27.0 and v.numpy() == 10.0
print("4  variables are cells behind handles     d(v^3) = 27, though v is 10 by now")

# 5. The graph                                                                   (graph/graph.py, graph/func_graph.py)
#
# To run a computation often, we first write it down. A node is what a tape keeps: op, inputs, outputs, attrs. A tensor
# from outside that is used inside is *captured*: it gets a placeholder, and the graph remembers the pair, so that
# callers know what to pass. Handles are captured too; that is all a graph needs to know about variables.

class SymbolicTensor(Tensor):
    """An output of a node: no value, only a place in a graph."""

    def __init__(self, graph):
        super().__init__()
        self.graph = graph

class FuncGraph:
    def __init__(self, outer=None):
        self.outer, self.nodes, self.inputs, self.outputs, self.captured = outer, [], [], [], {}
        self.plans = {}  # what later chapters derive from the graph

    @contextlib.contextmanager
    def as_default(self):
        old = state.graph, state.tapes
        state.graph, state.tapes = self, ()
        try:
            yield
        finally:
            state.graph, state.tapes = old

    def placeholder(self):
        self.inputs.append(SymbolicTensor(self))
        return self.inputs[-1]

    def capture(self, tensor):
        """The tensor as it is known in this graph."""
        if tensor.graph is self:
            return tensor
        if tensor.graph not in (None, self.outer):
            tensor = self.outer.capture(tensor)  # hand it down, graph by graph
        if tensor._id not in self.captured:
            self.captured[tensor._id] = (tensor, self.placeholder())
        return self.captured[tensor._id][1]

    def external_captures(self):
        return [outer for outer, _ in self.captured.values()]

    def add(self, op, inputs, attrs):
        outputs = [SymbolicTensor(self) for _ in range(op.outputs(inputs, attrs))]
        self.nodes.append((op, [self.capture(t) for t in inputs], outputs, attrs))
        return outputs

graph = FuncGraph()
with graph.as_default():
    argument = graph.placeholder()
    with GradientTape([argument]) as tape:  # the same tape and the same reverse pass: now they add nodes
        y = argument * argument * v
    graph.outputs = tape.gradient(y, [argument])
assert [op.name for op, *_ in graph.nodes].count("Reflow>VJP") == 2 and graph.external_captures() == [v.handle]
print(f"5  a graph is the same records            {len(graph.nodes)} nodes, v captured")

# 6. The interpreter                                                       (runtime/schedule.py, runtime/interpret.py)
#
# What does a graph *mean*? Its nodes, run in order with the eager kernels, on values in numbered slots. Whatever comes
# later is an optimisation, and has to agree with this.

class Instruction(NamedTuple):
    op: Op
    attrs: dict
    ins: list  # slots: the tensors' numbers
    outs: list

def schedule(graph):
    return [Instruction(op, attrs, [t._id for t in ins], [t._id for t in outs]) for op, ins, outs, attrs in graph.nodes]

def run_instructions(instructions, env, xp=host_numpy):
    for op, attrs, ins, outs in instructions:
        env.update(zip(outs, op.call(xp, [env[s] for s in ins], attrs)))

def interpret(graph, values, xp=host_numpy):
    env = {t._id: value for t, value in zip(graph.inputs, values)}
    run_instructions(schedule(graph), env, xp)
    return [env[t._id] for t in graph.outputs]

assert interpret(graph, [np.float32(3), v.handle._value]) == [60.0]
print("6  the interpreter says what it means     d(x^2 v) at 3 = 60")

# 7. Functions                                                             (function/function.py, function/concrete.py)
#
# A `Function` traces Python code once; from then on it calls the graph, by an op. In another graph, or under a tape, we
# *replay* the nodes through the door instead: the call is inlined, or recorded node by node. (There the real code also
# makes a call, with a backward graph that the one reverse pass builds from the nodes: function/gradients.py.)

op("PartitionedCall")(lambda xp, *values, f: run_graph(f, values))
run_graph = interpret  # chapter 9 installs something faster

def replay(graph, inputs):
    known = {t._id: tensor for t, tensor in zip(graph.inputs, inputs)}
    for op, ins, outs, attrs in graph.nodes:
        known.update(zip([t._id for t in outs], dispatch(op, [known[t._id] for t in ins], attrs)))
    return [known[t._id] for t in graph.outputs]

class Function:
    def __init__(self, python_function):
        self.python_function, self.traces = python_function, {}

    def __call__(self, *args):
        inputs = [convert_to_tensor(a) for a in args]
        if state.graph not in self.traces:  # the real code also has one trace per dtypes and shapes
            self.traces[state.graph] = self.trace(len(inputs))
        graph = self.traces[state.graph]
        inputs += graph.external_captures()
        if state.graph or state.tapes:
            outputs = replay(graph, inputs)
        else:
            outputs = dispatch(REGISTRY["PartitionedCall"], inputs, {"f": graph})
        return outputs[0] if outputs else None

    def trace(self, count):
        graph = FuncGraph(outer=state.graph)
        with graph.as_default():
            result = self.python_function(*[graph.placeholder() for _ in range(count)])
            graph.outputs = [] if result is None else [graph.capture(result)]
        return graph

function = Function
scaled = function(lambda x: x * x * v)

@function
def slope(x):
    with GradientTape() as tape:
        y = scaled(x)
    return tape.gradient(y, [v])[0]

assert scaled(3.0).numpy() == 90.0 and slope(3.0).numpy() == 9.0
print("7  a function is a graph and a call       x^2 v at 3 = 90, its slope in v = 9")

# 8. One pure program                                                     (compile/lowering.py, compile/state_rules.py)
#
# XLA makes one fast program out of many ops, if they are pure. So inside a program a variable is a `Ref`: it holds the
# value that came in as an argument, and what it holds in the end goes out as a result. With Refs for handles and JAX
# for `xp`, lowering *is* interpretation, once, under `jax.jit`.

class Ref:
    def __init__(self, value):
        self.value = value

    def read(self):
        return self.value

    def write(self, value):
        self.value = value
        return []

counter = Variable([0.0, 0.0])
graph = function(lambda by: counter.assign_sub(by)).trace(1)

@jax.jit
def program(old, by):
    ref = Ref(old)
    interpret(graph, [by, ref], xla_numpy)
    return ref.value

assert program(np.zeros(2), 1.0).tolist() == [-1.0, -1.0] and counter.numpy().tolist() == [0.0, 0.0]
print("8  one pure program                       new state is a result; the cell is untouched")

# 9. Regions, donated state, and the commit in one loop                              (compile/plan.py, compile/region.py)
#
# A graph also prints and reads files; so a plan cuts its instructions into host steps and *regions*, which run as one
# program for each *key*, the shapes and dtypes of their inputs. (The real plan also reorders, for fewer regions.)
#
# A training step replaces every weight. XLA writes the new ones into the memory of the old if we *donate* it. Then two
# things must never happen. Somebody still holds the old array: we copy a buffer that not only its cell refers to. Or
# Ctrl-C strikes after the call and before the last store, with the old weights gone and the new ones not yet there.
# CPython looks for signals between bytecodes, so there must be none: `deque(map(store, cells, results), 0)` calls the
# program and stores its results in one C loop.

store = Cell.buf.__set__
copy = jax.jit(jnp.copy)

def references(cell):
    return sys.getrefcount(cell.buf)

ALONE = references(Cell(np.zeros(1)))  # what a buffer has that only its cell holds

class HostStep:
    def __init__(self, instructions):
        self.instructions = instructions

    def run(self, env):
        run_instructions(self.instructions, env)

class Region(HostStep):
    def __init__(self, instructions, later):
        super().__init__(instructions)
        made = [s for i in instructions for s in i.outs]
        used = dict.fromkeys(s for i in instructions for s in i.ins if s not in made)
        self.outputs = [s for s in made if s in later]
        self.handles = list({i.ins[0]: None for i in instructions if i.op.stateful})
        self.inputs = [s for s in used if s not in self.handles]
        self.keys, self.call = set(), jax.jit(self.program, donate_argnums=0)

    def program(self, variables, inputs):
        """What JAX traces: pure, from old state and inputs to new state and outputs."""
        refs = [Ref(value) for value in variables]
        env = dict(zip([*self.handles, *self.inputs], [*refs, *inputs]))
        run_instructions(self.instructions, env, xla_numpy)
        return [*[ref.value for ref in refs], *[env[s] for s in self.outputs]]

    def run(self, env):
        values = [env[s] for s in self.inputs]
        key = tuple((v.shape, v.dtype) for v in values)
        if key in self.keys:
            self.commit(values, env)
        else:  # interpreted on first sight, compiled at the second: many keys never come again
            self.keys.add(key)
            super().run(env)

    def commit(self, values, env):
        cells, boxes = [env[s].cell for s in self.handles], [Cell() for _ in self.outputs]
        donated = [cell.buf if references(cell) == ALONE else copy(cell.buf) for cell in cells]
        results = itertools.chain.from_iterable(map(self.call, [donated], [values]))
        deque(map(store, [*cells, *boxes], results), 0)
        env.update((s, np.asarray(box.buf)) for s, box in zip(self.outputs, boxes))

class Plan:
    def __init__(self, graph):
        self.graph, self.steps = graph, []
        later = {t._id for t in graph.outputs}  # what is still needed after a step
        stretches = [(host, list(s)) for host, s in itertools.groupby(schedule(graph), lambda i: i.op.host)]
        for host, instructions in reversed(stretches):
            self.steps.insert(0, HostStep(instructions) if host else Region(instructions, later))
            later |= {s for i in instructions for s in i.ins}

    def run(self, values):
        env = {t._id: value for t, value in zip(self.graph.inputs, values)}
        for step in self.steps:
            step.run(env)
        return [env[t._id] for t in self.graph.outputs]

def run_plan(graph, values):
    if "plan" not in graph.plans:
        graph.plans["plan"] = Plan(graph)
    return graph.plans["plan"].run(values)

run_graph = run_plan  # installed: functions now run by plans
printed = []
op("PrintV2", host=True, outputs=0)(lambda xp, value: printed.append(float(value)) or [])

@function
def count_down(by):
    counter.assign_sub(by)
    run("PrintV2", run("Sum", counter))

cell = counter.handle._value.cell
for _ in range(2):  # interpreted, then compiled
    count_down(1.0)
held, _ = cell.buf, count_down(1.0)  # somebody holds the buffer: it is copied, and lives
address, _ = cell.buf.unsafe_buffer_pointer(), count_down(1.0)  # nobody does: the step works in place
assert held.tolist() == [-2.0, -2.0] and cell.buf.unsafe_buffer_pointer() == address
assert printed == [-2.0, -4.0, -6.0, -8.0]
print("9  donated state, one-loop commit         in place, and nobody's array dies")

# 10. All of it: a training step
#
# A two-layer network learns x**2. The step is traced once, its gradient is built by the one reverse pass, it is
# interpreted at its first call, and from the second on it is one XLA program that updates four variables in place.

random = np.random.default_rng(0)
w1, b1 = Variable(random.normal(size=(1, 16))), Variable(np.zeros(16))
w2, b2 = Variable(random.normal(size=(16, 1)) / 4), Variable(np.zeros(1))
variables = [w1, b1, w2, b2]
points = np.linspace(-1, 1, 32, dtype=np.float32).reshape(-1, 1)

@function
def train_step(x, y):
    with GradientTape() as tape:
        error = run("Tanh", x @ w1 + b1) @ w2 + b2 - y
        loss = run("Sum", error * error)
    for variable, gradient in zip(variables, tape.gradient(loss, variables)):
        variable.assign_sub(gradient * 0.01)
    return loss

losses = [train_step(points, points**2).numpy() for _ in range(500)]
trained = train_step.traces[None]
before = [Handle(t._value.read()) for t in trained.external_captures()]  # the same step, interpreted, has to agree
interpreted = interpret(trained, [points, points**2, *before])
assert len(trained.plans["plan"].steps) == 1 and losses[-1] < 0.01 * losses[0]
np.testing.assert_allclose(train_step(points, points**2).numpy(), interpreted[0], rtol=1e-4)
print(f"10 a training step                        {len(trained.nodes)} nodes, loss {losses[0]:.2f} -> {losses[-1]:.4f}")

# What the real code adds: shapes and dtypes while tracing; hundreds of ops; operands that XLA must know as values;
# `If` and `While` nodes, whose attributes are graphs; checks whose failure is one more result of the program; strings,
# lists and iterators on the host; locks, random state, and files that TensorFlow reads. docs/design.md tells the rest.
