"""Reflow from scratch: the core of the project in one file, from a single op to a training step that XLA runs.

Read it from top to bottom: each chapter adds one idea and tests it. The names are those of the real code, and each
chapter heading names the real modules. The last lines list what is left out.

    python docs/from_scratch.py
"""

import contextlib
import itertools
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np

# 1. An op is one record, on one array namespace                              (ops/registry.py, ops/xp/host, ops/xp/xla)
# An op runs in two ways: eagerly, where NumPy answers in a microsecond, and inside a compiled program, where JAX traces
# it for XLA. To write it only once, we define a small *array namespace* `xp` with two implementations.

def namespace(np):
    def sum_to_like(x, like):
        """Undo a broadcast. `like` is a tensor, not a shape, because in a graph the shape is not known yet."""
        x = np.sum(x, axis=tuple(range(x.ndim - like.ndim)))
        return np.sum(x, axis=tuple(i for i, n in enumerate(like.shape) if n == 1 != x.shape[i]), keepdims=True)

    return SimpleNamespace(
        add=np.add, subtract=np.subtract, multiply=np.multiply, negative=np.negative, matmul=np.matmul, tanh=np.tanh,
        transpose=np.transpose, sum=np.sum, ones_like=np.ones_like, sum_to_like=sum_to_like,
        broadcast_like=lambda x, like: np.broadcast_to(x, like.shape))

host_xp, xla_xp = namespace(np), namespace(jnp)

# Everything the system knows about an op is in one record. The tape, the graph and the compiler look there and need no
# `if name == ...`. A gradient is `grad(xp, inputs, output, ct)`: it maps `ct`, the *cotangent* of the output (the
# derivative of the final result with respect to it), to the cotangents of the inputs.

REGISTRY = {}

@dataclass(eq=False)
class Op:
    name: str
    kernel: Callable
    grad: Callable | None = None
    grad_tensors: Callable | None = None  # a gradient on tensors instead of arrays: chapter 4
    outputs: Callable = lambda inputs: 1  # the number of outputs
    stateful: bool = False  # reads or writes a variable, whose handle is its first input: chapter 4
    host: bool = False  # never part of a program: chapter 8

    def call(self, xp, values, attrs):  # on raw values; always returns a list
        out = self.kernel(xp, *values, **attrs)
        return list(out) if isinstance(out, (list, tuple)) else [out]

def op(name, **facts):
    def register(kernel):
        REGISTRY[name] = Op(name, kernel, **facts)
        return REGISTRY[name]
    return register

def to_both(xp, inputs, *cts):
    return [xp.sum_to_like(ct, x) for x, ct in zip(inputs, cts)]

op("AddV2", grad=lambda xp, ins, out, ct: to_both(xp, ins, ct, ct))(lambda xp, x, y: xp.add(x, y))
op("Sub", grad=lambda xp, ins, out, ct: to_both(xp, ins, ct, xp.negative(ct)))(lambda xp, x, y: xp.subtract(x, y))
op("Mul", grad=lambda xp, ins, out, ct: to_both(xp, ins, xp.multiply(ct, ins[1]), xp.multiply(ct, ins[0])))(
    lambda xp, x, y: xp.multiply(x, y))
op("MatMul", grad=lambda xp, ins, out, ct: [xp.matmul(ct, xp.transpose(ins[1])), xp.matmul(xp.transpose(ins[0]), ct)])(
    lambda xp, x, y: xp.matmul(x, y))
op("Tanh", grad=lambda xp, ins, y, ct: [xp.subtract(ct, xp.multiply(ct, xp.multiply(y, y)))])(lambda xp, x: xp.tanh(x))
op("Sum", grad=lambda xp, ins, out, ct: [xp.broadcast_like(ct, ins[0])])(lambda xp, x: xp.sum(x))
op("OnesLike")(lambda xp, x: xp.ones_like(x))
op("Const")(lambda xp, value: value)

for xp in (host_xp, xla_xp):
    gradients = REGISTRY["AddV2"].grad(xp, [np.ones((2, 3)), np.ones((1, 3))], None, np.ones((2, 3)))
    assert [g.tolist() for g in gradients] == [[[1.0] * 3] * 2, [[2.0] * 3]]
print(f"1  one record, two implementations        {len(REGISTRY)} ops; NumPy and JAX agree")

# 2. Dispatch                                                                        (ops/dispatch.py, backends/host.py)
# User code holds tensors, whose values never change. Every op on them goes through one function, `dispatch`. It alone
# decides: if a graph is being built, add a node; otherwise run the kernel. Then it tells the tapes. The two fields of
# `state` are the only mode the program has.

state = SimpleNamespace(graph=None, tapes=())

class Tensor:
    graph = None  # the graph it belongs to: chapter 5
    is_handle = False  # whether it refers to a variable: chapter 4
    value = lambda self: self
    __add__ = lambda self, other: run("AddV2", self, other)
    __sub__ = lambda self, other: run("Sub", self, other)
    __mul__ = lambda self, other: run("Mul", self, other)
    __matmul__ = lambda self, other: run("MatMul", self, other)

class EagerTensor(Tensor):
    def __init__(self, value):
        self._value = value

    numpy = lambda self: np.array(self._value)

def convert_to_tensor(x):
    return x.value() if isinstance(x, Tensor) else run("Const", value=np.array(x, np.float32))

def dispatch(op, inputs, attrs):
    if state.graph is None:
        outputs = [EagerTensor(v) for v in op.call(host_xp, [t._value for t in inputs], attrs)]
    else:
        outputs = state.graph.add(op, inputs, attrs)
    for tape in state.tapes:
        tape.record(op, inputs, outputs, attrs)
    return outputs

def run(name, *inputs, **attrs):
    outputs = dispatch(REGISTRY[name], [convert_to_tensor(x) for x in inputs], attrs)
    return outputs[0] if outputs else None

a, x = convert_to_tensor([1.0, 2.0]), convert_to_tensor(3.0)
assert (a * a + x).numpy().tolist() == [4.0, 7.0]
print("2  one dispatch for every op              [1, 2]**2 + 3 = [4, 7]")

# 3. The tape, and one reverse pass                          (eager/tape.py, ops/reverse.py, ops/kernels/control/vjp.py)
# To differentiate, record each op as (op, inputs, outputs, attrs), then walk the records backwards and pass cotangents
# from outputs to inputs. The gradient of one op is *itself an op*, `Reflow>VJP`, and is dispatched too. So the reverse
# pass need not know whether it runs eagerly or builds a graph: one function serves both. (For second derivatives the
# real code runs `grad` on a third `xp`, ops/xp/tensor, whose functions are ops on tensors that a tape records.)

class GradientTape:
    def __init__(self, sources=()):
        self.records, self.watched = [], set(sources)

    def __enter__(self):
        state.tapes = (*state.tapes, self)
        return self

    def __exit__(self, *exc):
        state.tapes = tuple(t for t in state.tapes if t is not self)

    def record(self, op, inputs, outputs, attrs):
        if any(t.is_handle or t in self.watched for t in inputs):
            self.records.append((op, inputs, outputs, attrs))
            self.watched.update(outputs)

    def gradient(self, target, sources):
        sources = [getattr(s, "handle", s) for s in sources]  # a variable is identified by its handle: chapter 4
        return reverse(self.records, target, run("OnesLike", target), sources)

def reverse(records, target, seed, sources):
    """The cotangents of `sources`, given that of `target`; None for a source that `target` does not depend on."""
    cotangents = {target: seed}
    for op, inputs, outputs, _ in reversed(records):
        cts = [cotangents.get(t) for t in outputs]
        if any(ct is not None for ct in cts):
            for t, ct in zip(inputs, op_gradient(op, inputs, outputs, cts)):
                cotangents[t] = cotangents[t] + ct if t in cotangents else ct
    return [cotangents.get(s) for s in sources]

def op_gradient(op, inputs, outputs, cts):
    if op.grad_tensors is not None:
        return op.grad_tensors(inputs, outputs, cts)
    assert op.grad is not None, f"No gradient defined for operation {op.name!r}."
    return dispatch(VJP, [*inputs, *outputs, *cts], {"forward": op})

@op("Reflow>VJP", outputs=lambda inputs: len(inputs) - 2)
def VJP(xp, *values, forward):
    *inputs, output, ct = values
    return forward.grad(xp, inputs, output, ct)

with GradientTape([a, x]) as tape:
    y = run("Sum", a * x * x)
assert [g.numpy().tolist() for g in tape.gradient(y, [a, x])] == [[9.0, 9.0], 18.0]
print("3  a tape and one reverse pass            d(a x^2): 9 for each a, 18 for x")

# 4. Variables                                                         (core/resources.py, ops/kernels/control/state.py)
# A variable is a *cell* that holds a value, reached through a *handle*. The handle is the value of a tensor like any
# other. Reading and writing are ops. A value that was read never changes, and its cotangent goes to the handle: below,
# the tape differentiates at the value that was read, not at the one assigned later.

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

op("ReadVariableOp", stateful=True, grad_tensors=lambda ins, outs, cts: cts)(lambda xp, handle: handle.read())
op("AssignVariableOp", stateful=True, outputs=lambda inputs: 0)(lambda xp, handle, value: handle.write(value))
op("AssignSubVariableOp", stateful=True, outputs=lambda inputs: 0)(
    lambda xp, handle, value: handle.write(xp.subtract(handle.read(), value)))

class Variable(Tensor):
    def __init__(self, value):
        self.handle = EagerTensor(Handle(np.array(value, np.float32)))
        self.handle.is_handle = True  # tapes watch handles automatically

    value = lambda self: run("ReadVariableOp", self.handle)
    assign = lambda self, value: run("AssignVariableOp", self.handle, value)
    assign_sub = lambda self, value: run("AssignSubVariableOp", self.handle, value)
    numpy = lambda self: self.value().numpy()

v = Variable(3.0)
with GradientTape() as tape:
    y = v * v * v
v.assign(10.0)
assert tape.gradient(y, [v])[0].numpy() == 27.0 and v.numpy() == 10.0
print("4  variables are cells behind handles     d(v^3) = 27, although v is now 10")

# 5. The graph                                                                     (graph/graph.py, graph/func_graph.py)
# To run a computation repeatedly, we first record it as a graph. A node is what a tape records: op, inputs, outputs,
# attrs. An outer tensor that is used inside is *captured*: it gets a placeholder, and the graph remembers the pair, so
# that callers know what to pass. Handles are captured too; a graph needs no other notion of variables.

class SymbolicTensor(Tensor):  # has no value, only a position in a graph
    def __init__(self, graph):
        self.graph = graph

class FuncGraph:
    def __init__(self, outer=None):
        self.outer, self.nodes, self.inputs, self.outputs, self.plan = outer, [], [], [], None
        self.captured = {}  # outer tensor -> placeholder

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
        """The tensor of this graph that stands for `tensor`."""
        if tensor.graph is self:
            return tensor
        if tensor.graph not in (None, self.outer):
            tensor = self.outer.capture(tensor)  # pass it down, graph by graph
        if tensor not in self.captured:
            self.captured[tensor] = self.placeholder()
        return self.captured[tensor]

    def add(self, op, inputs, attrs):
        outputs = [SymbolicTensor(self) for _ in range(op.outputs(inputs))]
        self.nodes.append((op, [self.capture(t) for t in inputs], outputs, attrs))
        return outputs

graph = FuncGraph()
with graph.as_default():
    argument = graph.placeholder()
    with GradientTape([argument]) as tape:  # the same tape and reverse pass now add nodes
        y = argument * argument * v
    graph.outputs = tape.gradient(y, [argument])
assert [op.name for op, *_ in graph.nodes].count("Reflow>VJP") == 2 and list(graph.captured) == [v.handle]
print(f"5  a graph is the same records            {len(graph.nodes)} nodes, v captured")

# 6. The interpreter                                                         (runtime/schedule.py, runtime/interpret.py)
# What does a graph *mean*? Its nodes are instructions, executed in order by the eager kernels; `env` holds the values.
# (The real `schedule` first drops unused nodes.) Everything later is an optimization and must agree with this.

on_host = lambda op, values, attrs: op.call(host_xp, values, attrs)

def run_instructions(instructions, env, execute=on_host):
    for op, inputs, outputs, attrs in instructions:
        env.update(zip(outputs, execute(op, [env[t] for t in inputs], attrs)))

def interpret(graph, values, execute=on_host):
    env = dict(zip(graph.inputs, values))
    run_instructions(graph.nodes, env, execute)
    return [env[t] for t in graph.outputs]

assert interpret(graph, [np.float32(3), v.handle._value]) == [60.0]
print("6  the interpreter defines its meaning    d(x^2 v) at 3 = 60")

# 7. Functions                                                              (function/function.py, function/concrete.py)
# A `Function` traces Python code once and then runs the graph. Inside another graph, or under a tape, the graph is
# *replayed*: interpreted on tensors with `dispatch`, which adds or records nodes. (The real code makes this a call op,
# whose gradient is a graph built by the same reverse pass: function/gradients.py.)

run_graph = interpret  # chapter 8 installs something faster

class Function:
    def __init__(self, python_function):
        self.python_function, self.traces = python_function, {}

    def __call__(self, *args):
        inputs = [convert_to_tensor(a) for a in args]
        if state.graph not in self.traces:  # the real code also retraces for new dtypes and shapes
            self.traces[state.graph] = self.trace(len(inputs))
        graph = self.traces[state.graph]
        inputs += graph.captured  # its keys: the outer tensors
        if state.graph or state.tapes:
            outputs = interpret(graph, inputs, dispatch)
        else:
            outputs = [EagerTensor(v) for v in run_graph(graph, [t._value for t in inputs])]
        return outputs[0] if outputs else None

    def trace(self, count):
        graph = FuncGraph(outer=state.graph)
        with graph.as_default():
            result = self.python_function(*[graph.placeholder() for _ in range(count)])
            graph.outputs = [] if result is None else [graph.capture(result)]
        return graph

function = Function
scaled = function(lambda x: x * x * v)
twice = function(lambda x: scaled(scaled(x)))
with GradientTape([x]) as tape:
    y = twice(x)
assert twice(x).numpy() == y.numpy() == 81_000.0 and tape.gradient(y, [x])[0].numpy() == 108_000.0
print("7  a function is traced once              f(f(3)) = 81000, its slope 108000")

# 8. Regions: one pure program                                 (compile/plan.py, compile/region.py, compile/lowering.py)
# XLA compiles many ops into one fast program, if they are pure. So a plan partitions a graph into host steps (prints)
# and *regions*. Inside a region a variable is a `Ref`: it starts with the value passed in as an argument, and its final
# value is returned as a result. With Refs in place of handles, lowering *is* interpreting under `jax.jit`, once per
# *key*: the shapes and dtypes of the inputs.

in_program = lambda op, values, attrs: op.call(xla_xp, values, attrs)

class Ref(Handle):
    read = lambda self: self.cell.buf

class HostStep:
    def __init__(self, instructions):
        self.instructions = instructions

    run = lambda self, env: run_instructions(self.instructions, env)

class Region(HostStep):
    def __init__(self, instructions, later):
        super().__init__(instructions)
        made = [t for _, _, outputs, _ in instructions for t in outputs]
        used = dict.fromkeys(t for _, inputs, _, _ in instructions for t in inputs)
        self.handles = list(dict.fromkeys(inputs[0] for op, inputs, _, _ in instructions if op.stateful))
        self.inputs = [t for t in used if t not in made + self.handles]
        self.outputs = [t for t in made if t in later]
        self.keys, self.call = set(), jax.jit(self.program, donate_argnums=0)

    def program(self, buffers, inputs):
        """The pure function that JAX traces: from old state and inputs to new state and outputs."""
        refs = [Ref(buffer) for buffer in buffers]
        env = dict(zip([*self.handles, *self.inputs], [*refs, *inputs]))
        run_instructions(self.instructions, env, in_program)
        return [*[ref.read() for ref in refs], *[env[t] for t in self.outputs]]

    def run(self, env):
        values = [env[t] for t in self.inputs]
        key = tuple((v.shape, v.dtype) for v in values)
        if key in self.keys:
            commit(self, values, env)  # chapter 9
        else:  # the first call is interpreted, the second compiled: many keys occur only once
            self.keys.add(key)
            super().run(env)

def partition(graph):
    """The steps of a graph. The real plan also reorders nodes to get fewer regions."""
    steps, later = [], set(graph.outputs)  # what later steps need
    groups = [(host, list(nodes)) for host, nodes in itertools.groupby(graph.nodes, lambda node: node[0].host)]
    for host, instructions in reversed(groups):
        steps.insert(0, HostStep(instructions) if host else Region(instructions, later))
        later.update(t for _, inputs, _, _ in instructions for t in inputs)
    return steps

def run_plan(graph, values):
    graph.plan = graph.plan or partition(graph)
    env = dict(zip(graph.inputs, values))
    for step in graph.plan:
        step.run(env)
    return [env[t] for t in graph.outputs]

run_graph = run_plan  # functions now run through plans
printed, counter = [], Variable([0.0, 0.0])
op("PrintV2", host=True, outputs=lambda inputs: 0)(lambda xp, value: printed.append(float(value)) or [])

@function
def count_down(by):
    counter.assign_sub(by)
    run("PrintV2", run("Sum", counter))

region, host_step = partition(count_down.trace(1))
new_state, total = jax.jit(region.program)([np.zeros(2)], [1.0])
assert new_state.tolist() == [-1.0, -1.0] and total == -2.0
assert counter.numpy().tolist() == [0.0, 0.0] and not printed  # the program changed nothing
print("8  a region is one pure program           new state is a result; the cell is untouched")

# 9. Donated state, and an atomic commit                                                             (compile/region.py)
# A training step replaces every weight, and XLA reuses the memory of the old ones if we *donate* it. So a buffer with
# other references is copied first. And Ctrl-C must not arrive between the call and the last store, when the old weights
# are gone and the new ones not yet stored. CPython handles signals between bytecodes, so there must be none in between:
# `deque(map(...), 0)` calls and stores every result in one C loop. (The real code donates only what is written.)

store = Cell.buf.__set__
references = lambda cell: sys.getrefcount(cell.buf)
ALONE = references(Cell(np.zeros(1)))  # the count of a buffer that only its cell holds

def commit(region, values, env):
    cells, boxes = [env[t].cell for t in region.handles], [Cell() for _ in region.outputs]
    donated = [cell.buf if references(cell) == ALONE else jnp.copy(cell.buf) for cell in cells]
    results = itertools.chain.from_iterable(map(region.call, [donated], [values]))  # nothing is called yet
    deque(map(store, [*cells, *boxes], results), 0)
    env.update((t, np.asarray(box.buf)) for t, box in zip(region.outputs, boxes))

count_down(1.0)  # interpreted
count_down(1.0)  # compiled
cell = counter.handle._value.cell
held = cell.buf
count_down(1.0)  # the buffer has another reference: it is copied and survives
address = cell.buf.unsafe_buffer_pointer()
count_down(1.0)  # no other reference: the step works in place
assert held.tolist() == [-2.0, -2.0] and cell.buf.unsafe_buffer_pointer() == address and printed == [-2, -4, -6, -8]
print("9  donated state, atomic commit           in place, and held arrays survive")

# 10. Putting it together: a training step
# A two-layer network learns x**2. The step is traced once, and the reverse pass builds its gradient. The first call is
# interpreted; from the second on it is one XLA program that updates four variables in place.

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
graph = train_step.traces[None]
assert [type(step) for step in graph.plan] == [Region] and losses[-1] < 0.01 * losses[0]
copies = [Handle(handle._value.read()) for handle in graph.captured]
interpret(graph, [points, points**2, *copies])  # the interpreter, on copies of the variables...
train_step(points, points**2)  # ...and the program agree
for handle, copy in zip(graph.captured, copies):
    np.testing.assert_allclose(handle._value.read(), copy.read(), rtol=1e-4, atol=1e-6)
print(f"10 a training step                        {len(graph.nodes)} nodes, loss {losses[0]:.2f} -> {losses[-1]:.4f}")

# What the real code adds: shapes and dtypes while tracing; hundreds of ops; static operands (values XLA must know);
# `If` and `While` nodes, whose attributes are graphs; checks, whose failure is an extra output of the program; strings,
# lists and iterators on the host; locks, random state, and files that TensorFlow reads. See docs/design.md.
