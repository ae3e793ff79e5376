"""Reflow from scratch: the core of the project in one file, from a single op to a training step that XLA runs.

Read it from top to bottom: each chapter adds one idea, then checks it. Names are those of the real code, and every chapter
says where its grown-up twin lives. What is left out is told in the last lines.

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

TRANSCRIPT = []

def chapter_done(title, result):
    TRANSCRIPT.append(f"{title:<44}{result}")


# 1. The facade                                                                  (ops/host_numpy.py, ops/xla_numpy.py)
#
# An op has to run in two worlds: now, on the CPU, where NumPy answers in a microsecond; and inside a compiled
# program, where JAX traces it for XLA. We want to write each op once. So we define a small vocabulary `xp`, and give
# it two implementations with the same names and the same meaning. Kernels speak only `xp`.
#
# Two of the words deserve a note. In `x + y` the smaller operand is broadcast, so its gradient must be summed back:
# `sum_to_like` does that, and `broadcast_like` is its opposite. They take a *tensor* as the model of the shape, never
# the shape itself. That will pay off in chapter 7, when gradients meet tensors whose shape nobody knows yet.

def facade(np):
    def sum_to_like(x, like):
        x = np.sum(x, axis=tuple(range(x.ndim - like.ndim)))
        return np.sum(x, axis=tuple(i for i, n in enumerate(like.shape) if n == 1 != x.shape[i]), keepdims=True)

    return SimpleNamespace(
        add=np.add, subtract=np.subtract, multiply=np.multiply, negative=np.negative, matmul=np.matmul, tanh=np.tanh,
        transpose=np.transpose, sum=np.sum, ones_like=np.ones_like, fill=lambda n, x: np.full((int(n),), x),
        sum_to_like=sum_to_like, broadcast_like=lambda x, like: np.broadcast_to(x, like.shape))

host_numpy, xla_numpy = facade(np), facade(jnp)

row = np.ones((1, 3), np.float32)
for xp in (host_numpy, xla_numpy):
    assert xp.sum_to_like(xp.ones_like(np.zeros((2, 3))), row).tolist() == [[2.0, 2.0, 2.0]]
chapter_done("1  one vocabulary, two worlds", "NumPy and JAX agree")


# 2. An op is one record                                                                             (ops/registry.py)
#
# Everything the system knows about an op stands in one place: the kernel, the gradient, a few facts. Whoever comes
# later (the eager runtime, the tape, the graph, the compiler) looks here and needs no `if name == ...`.
#
# A gradient has the signature `grad(xp, inputs, output, ct)`: `ct`, the *cotangent*, is the derivative of the final
# result with respect to the output, and it returns the same for each input. It too is written in `xp`.

REGISTRY, WORDS = {}, {}

class Op:
    def __init__(self, name, kernel, grad=None, grad_tensors=None, nondiff=0, static=(), host=False,
                 outputs=lambda inputs, attrs: 1):
        self.name, self.kernel, self.grad, self.grad_tensors = name, kernel, grad, grad_tensors
        self.nondiff = nondiff  # how many of the last inputs never get a gradient
        self.static = static  # inputs whose *values* XLA needs: chapter 9
        self.host = host  # never part of a program: chapter 9
        self.outputs = outputs  # how many

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

def to_both(xp, ins, gx, gy):
    return [xp.sum_to_like(gx, ins[0]), xp.sum_to_like(gy, ins[1])]

for name, word, *grad in [
    ("AddV2", "add", lambda xp, ins, y, ct: to_both(xp, ins, ct, ct)),
    ("Sub", "subtract", lambda xp, ins, y, ct: to_both(xp, ins, ct, xp.negative(ct))),
    ("Mul", "multiply", lambda xp, ins, y, ct: to_both(xp, ins, xp.multiply(ct, ins[1]),
                                                       xp.multiply(ct, ins[0]))),
    ("Neg", "negative", lambda xp, ins, y, ct: [xp.negative(ct)]),
    ("MatMul", "matmul", lambda xp, ins, y, ct: [xp.matmul(ct, xp.transpose(ins[1])),
                                                 xp.matmul(xp.transpose(ins[0]), ct)]),
    ("Transpose", "transpose", lambda xp, ins, y, ct: [xp.transpose(ct)]),
    ("Tanh", "tanh", lambda xp, ins, y, ct: [xp.multiply(ct, xp.subtract(xp.ones_like(y), xp.multiply(y, y)))]),
    ("Sum", "sum", lambda xp, ins, y, ct: [xp.broadcast_like(ct, ins[0])]),
    ("OnesLike", "ones_like"),
    ("Reflow>SumToLike", "sum_to_like", lambda xp, ins, y, ct: [xp.broadcast_like(ct, ins[0])]),
    ("Reflow>BroadcastLike", "broadcast_like", lambda xp, ins, y, ct: [xp.sum_to_like(ct, ins[0])]),
]:
    WORDS[word] = name
    op(name, grad=grad[0] if grad else None, nondiff=int(name.endswith("Like")))(
        lambda xp, *values, word=word: getattr(xp, word)(*values))

op("Const")(lambda xp, value: value)
op("Fill", static=(0,))(lambda xp, dims, value: xp.fill(dims, value))

assert REGISTRY["Tanh"].call(host_numpy, [np.float32(0)], {}) == [0.0]
chapter_done("2  an op is one record", f"{len(REGISTRY)} ops")


# 3. The door                                                                          (ops/door.py, eager/execute.py)
#
# User code holds tensors. A tensor has a number of its own that is never used again (`id()` of a dead object is), and
# its memory is never written: what comes from outside is copied on the way in.
#
# Every op goes through one function, `dispatch`. It alone decides: is a graph being built? Then add a node. Else run
# the kernel. And it tells the tapes. The whole mode of the program is `state`, two fields.

new_id = itertools.count(1).__next__
state = SimpleNamespace(graph=None, tapes=())

@contextlib.contextmanager
def swapped(**values):
    old = {name: getattr(state, name) for name in values}
    vars(state).update(values)
    try:
        yield
    finally:
        vars(state).update(old)

class Tensor:
    def __init__(self):
        self._id = new_id()

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
    if hasattr(x, "handle"):  # a variable: chapter 6
        return x.value()
    return x if isinstance(x, Tensor) else dispatch(REGISTRY["Const"], [], {"value": np.array(x, np.float32)})[0]

def dispatch(op, inputs, attrs):
    if state.graph is None:
        values = op.call(host_numpy, [host_value(t._value) for t in inputs], attrs)
        outputs = [EagerTensor(v) for v in values]
    else:
        outputs = state.graph.add(op, inputs, attrs)
    for tape in state.tapes:
        tape.record(op, inputs, outputs, attrs)
    return outputs

def host_value(value):
    """On the CPU an array that XLA made is a host value too: NumPy sees its memory without a copy."""
    return np.asarray(value) if isinstance(value, jax.Array) else value

def run(name, *inputs, **attrs):
    outputs = dispatch(REGISTRY[name], [convert_to_tensor(x) for x in inputs], attrs)
    return outputs[0] if len(outputs) == 1 else outputs

a = convert_to_tensor([1.0, 2.0])
assert (a * a + 1.0).numpy().tolist() == [2.0, 5.0]
chapter_done("3  one door for every op", "[1, 2]**2 + 1 = [2, 5]")


# 4. The tape, and one reverse pass                                                    (eager/tape.py, ops/reverse.py)
#
# To differentiate, remember what happened: a list of records (op, inputs, outputs, attributes). Then walk it
# backwards, from the cotangent of the result to those of the sources. The walk is a loop, not a recursion, so 100,000
# ops are fine.
#
# The gradient of one op is *itself an op*, `Reflow>VJP`, and goes through the door. So the reverse pass does not care
# whether it runs now or builds a graph. This one function will serve tapes, graphs and function calls; there is no
# second one.

class GradientTape:
    def __init__(self, sources=()):
        self.records, self.watched = [], {t._id for t in sources}

    def __enter__(self):
        state.tapes = (*state.tapes, self)
        return self

    def __exit__(self, *exc):
        state.tapes = tuple(t for t in state.tapes if t is not self)

    def watch(self, tensor):
        self.watched.add(tensor._id)

    def record(self, op, inputs, outputs, attrs):
        if any(t._id in self.watched for t in inputs):
            self.records.append((op, inputs, outputs, attrs))
            self.watched.update(t._id for t in outputs)

    def gradient(self, target, sources):
        keys = [getattr(s, "handle", s) for s in sources]  # a variable is known by its handle: chapter 6
        return reverse(self.records, [target], [run("OnesLike", target)], keys)

def reverse(records, targets, seeds, sources):
    """The cotangents of `sources`, None where no path leads, given those of `targets`."""
    cotangents = {}

    def accumulate(tensor, ct):
        if ct is not None:
            cotangents[tensor._id] = cotangents[tensor._id] + ct if tensor._id in cotangents else ct

    for target, seed in zip(targets, seeds):
        accumulate(target, seed)
    for op, inputs, outputs, attrs in reversed(records):
        cts = [cotangents.get(t._id) for t in outputs]
        if all(ct is None for ct in cts):
            continue
        if op.grad_tensors is not None:
            grads = op.grad_tensors(attrs, inputs, outputs, cts)
        elif op.grad is not None:
            grads = dispatch(REGISTRY["Reflow>VJP"], [*inputs, *outputs, *cts], {"forward": op})
        else:
            continue
        for tensor, ct in zip(inputs, grads):
            accumulate(tensor, ct)
    return [cotangents.get(s._id) for s in sources]

@op("Reflow>VJP", outputs=lambda inputs, attrs: len(inputs) - 2 - attrs["forward"].nondiff)
def VJP(xp, *values, forward):
    *inputs, output, ct = values
    return forward.grad(xp, inputs, output, ct)

def gradient_of(function, *arguments):
    with GradientTape(arguments) as tape:
        result = function(*arguments)
    return tape.gradient(result, arguments)

x = convert_to_tensor(3.0)
assert gradient_of(lambda x: x * x * x, x)[0].numpy() == 27.0
assert gradient_of(lambda x, y: run("Sum", x + y), convert_to_tensor(row), x)[1].numpy() == 3.0  # summed back to a scalar
chapter_done("4  a tape and one reverse pass", "d(x^3) at 3 = 27")


# 5. The third facade: gradients of gradients                                (ops/tensor_numpy.py, ops/kernels/vjp.py)
#
# What is the gradient of a VJP? Its kernel calls `forward.grad(xp, ...)` with raw arrays, so no tape can look inside.
# But nothing stops us from calling the same gradient with a third `xp`, whose words are *ops on tensors*. Then it
# becomes ordinary ops, which a tape can record and the reverse pass can walk. Derivatives of every order follow, and
# so does export: a graph without a `Reflow>VJP` in it is a graph that real TensorFlow can read.

tensor_numpy = SimpleNamespace(**{word: lambda *tensors, name=name: run(name, *tensors) for word, name in WORDS.items()})

def expand(attrs, inputs):
    *primals, output, ct = inputs
    return attrs["forward"].grad(tensor_numpy, primals, output, ct)

def vjp_gradient(attrs, inputs, outputs, cts):
    with GradientTape(inputs) as tape:
        results = expand(attrs, inputs)
    pairs = [(r, ct) for r, ct in zip(results, cts) if ct is not None]
    grads = reverse(tape.records, [r for r, _ in pairs], [ct for _, ct in pairs], inputs)
    first = {}  # a tensor that stands here twice (x * x) got its whole cotangent: hand it over once
    return [g if first.setdefault(t._id, i) == i else None for i, (t, g) in enumerate(zip(inputs, grads))]

VJP.grad_tensors = vjp_gradient

second = gradient_of(lambda x: gradient_of(lambda x: x * x * x, x)[0], x)
assert second[0].numpy() == 18.0
chapter_done("5  gradients of gradients", "d2(x^3) at 3 = 18")


# 6. Variables                                                               (core/resources.py, ops/kernels/state.py)
#
# A variable is a *cell* with a value in it, reached through a *handle*, and the handle is the value of a tensor like
# any other. Reading is an op, and gives a value that stays what it is; writing is an op, and puts another value into
# the cell. The tape knows the variable by its handle: the gradient of a read passes the cotangent on to it. Nobody
# ever reads the variable again behind the user's back: below, the tape answers with the value that was read, not with
# the one that was assigned later.

class Cell:
    __slots__ = ("buf",)

    def __init__(self, buf=None):
        self.buf = buf

class Handle:
    def __init__(self, value):
        self.cell = Cell(value)

    def write(self, value):
        self.cell.buf = value

op("ReadVariableOp", grad_tensors=lambda attrs, ins, outs, cts: cts)(lambda xp, handle: host_value(handle.cell.buf))

def assigning(name, update):
    @op(name, outputs=lambda inputs, attrs: 0)
    def kernel(xp, handle, value):
        handle.write(update(xp, host_value(handle.cell.buf), value))
        return []

    kernel.update = update

assigning("AssignVariableOp", lambda xp, old, new: new)
assigning("AssignSubVariableOp", lambda xp, old, by: xp.subtract(old, by))

class Variable(Tensor):
    def __init__(self, value):
        self.handle = EagerTensor(Handle(np.array(value, np.float32)))

    def value(self):
        for tape in state.tapes:
            tape.watch(self.handle)
        return run("ReadVariableOp", self.handle)

    def assign(self, value):
        run("AssignVariableOp", self.handle, value)

    def assign_sub(self, value):
        run("AssignSubVariableOp", self.handle, value)

    def numpy(self):
        return self.value().numpy()

v = Variable(3.0)
with GradientTape() as tape:
    y = v * v * v
v.assign(10.0)
assert tape.gradient(y, [v])[0].numpy() == 27.0 and v.numpy() == 10.0
chapter_done("6  variables are cells behind handles", "27 again, though x is 10 by now")


# 7. The graph                                                                   (graph/graph.py, graph/func_graph.py)
#
# To run a computation often, and all at once, we first write it down. A node is a record of the registry with its
# inputs: the same four things a tape keeps. A `FuncGraph` is a function's body: inputs, nodes, outputs. A tensor from
# outside that is used inside is *captured*: it gets a placeholder, and the graph remembers the pair, so that callers
# can pass the outer tensor and gradients can find their way out. Handles are captured too; that is all a graph needs
# to know about variables.

class SymbolicTensor(Tensor):
    """An output of a node: no value, only a place in a graph."""

    def __init__(self, graph):
        super().__init__()
        self.graph = graph

class FuncGraph:
    def __init__(self, outer=None):
        self.outer, self.nodes, self.inputs, self.outputs, self.captured = outer, [], [], [], {}
        self.plans = {}  # whatever later chapters derive from the graph

    def as_default(self):
        return swapped(graph=self, tapes=())

    def placeholder(self):
        self.inputs.append(SymbolicTensor(self))
        return self.inputs[-1]

    def capture(self, tensor):
        if isinstance(tensor, SymbolicTensor) and tensor.graph is not self.outer:
            tensor = self.outer.capture(tensor)  # hand it down, graph by graph
        if tensor._id not in self.captured:
            self.captured[tensor._id] = (tensor, self.placeholder())
        return self.captured[tensor._id][1]

    def own(self, tensor):
        return tensor if getattr(tensor, "graph", None) is self else self.capture(tensor)

    def add(self, op, inputs, attrs):
        outputs = [SymbolicTensor(self) for _ in range(op.outputs(inputs, attrs))]
        self.nodes.append((op, [self.own(t) for t in inputs], outputs, attrs))
        return outputs

graph = FuncGraph()
with graph.as_default():
    argument = graph.placeholder()
    with GradientTape([argument]) as tape:  # a tape inside a graph is the same tape, and the same reverse pass
        result = argument * argument * v
    graph.outputs = [result, *tape.gradient(result, [argument])]
assert [op.name for op, *_ in graph.nodes].count("Reflow>VJP") == 2 and list(graph.captured) == [v.handle._id]
chapter_done("7  a graph is the same records", f"{len(graph.nodes)} nodes, v captured")


# 8. Interpretation, and functions                   (runtime/schedule.py, runtime/interpret.py, function/function.py)
#
# What does a graph *mean*? Running its nodes in order with the eager kernels. That is the definition; compilation, in
# the next chapter, is an optimisation that has to agree with it. Calls are inlined on the way, so that a nested
# function costs nothing.
#
# `function` is then short: trace once per kind of argument, remember the graph, call it by an op, `PartitionedCall`.
# As this is an op, a tape records it, and its gradient is another graph: the one reverse pass, over the callee's
# nodes, with the door open to a new graph. Whatever forward tensors the backward graph needs it captures, and those
# captures are exactly the intermediates that the forward graph has to return when a tape watches.

class Instruction(NamedTuple):
    op: Op
    attrs: dict
    ins: list  # numbers: places in an environment
    outs: list

def schedule(graph, places):
    """The nodes as instructions; `places` knows where the graph's inputs lie, and learns where all its tensors do."""
    instructions = []
    for op, inputs, outputs, attrs in graph.nodes:
        ins = [places[t._id] for t in inputs]
        if op.name == "PartitionedCall":
            callee = attrs["f"]
            inner = {t._id: i for t, i in zip(callee.inputs, ins)}
            instructions += schedule(callee, inner)
            places.update((o._id, inner[t._id]) for o, t in zip(outputs, callee.outputs))
        else:
            places.update((t._id, new_id()) for t in outputs)
            instructions.append(Instruction(op, attrs, ins, [places[t._id] for t in outputs]))
    return instructions

def run_instructions(instructions, env):
    for op, attrs, ins, outs in instructions:
        env.update(zip(outs, op.call(host_numpy, [host_value(env[i]) for i in ins], attrs)))

def interpret(graph, values):
    places = {t._id: t._id for t in graph.inputs}
    env = {t._id: value for t, value in zip(graph.inputs, values)}
    run_instructions(schedule(graph, places), env)
    return [env[places[t._id]] for t in graph.outputs]

run_graph = interpret  # chapter 10 installs something faster

class CallGradient:
    """Two graphs for one: `forward` also returns the intermediates that `backward` needs."""

    def __init__(self, graph):
        backward = FuncGraph(outer=graph)
        with backward.as_default():
            seeds = [backward.placeholder() for _ in graph.outputs]
            self.structure = reverse(graph.nodes, graph.outputs, seeds, graph.inputs)
            backward.outputs = [backward.own(t) for t in self.structure if t is not None]
        needed = [outer for outer, _ in backward.captured.values()]
        forward = FuncGraph()
        forward.nodes, forward.inputs = graph.nodes, graph.inputs
        forward.outputs = [*graph.outputs, *needed]
        forward.plans["gradient"] = self
        self.forward, self.backward, self.count = forward, backward, len(graph.outputs)

def call_graph(graph, inputs):
    if not state.tapes:
        return dispatch(REGISTRY["PartitionedCall"], inputs, {"f": graph})
    if "gradient" not in graph.plans:
        graph.plans["gradient"] = CallGradient(graph)
    gradient = graph.plans["gradient"]
    return dispatch(REGISTRY["PartitionedCall"], inputs, {"f": gradient.forward})[: gradient.count]

def call_gradient(attrs, inputs, outputs, cts):
    gradient = attrs["f"].plans["gradient"]
    assert all(ct is None for ct in cts[gradient.count:]), "second order through a call: see replay in function/concrete.py"
    cts = [run("Mul", run("OnesLike", o), 0.0) if ct is None else ct for o, ct in zip(outputs, cts[: gradient.count])]
    flat = iter(dispatch(REGISTRY["PartitionedCall"], [*cts, *outputs[gradient.count:]], {"f": gradient.backward}))
    return [None if t is None else next(flat) for t in gradient.structure]

op("PartitionedCall", grad_tensors=call_gradient, outputs=lambda inputs, attrs: len(attrs["f"].outputs))(
    lambda xp, *values, f: run_graph(f, values))

class Function:
    def __init__(self, python_function):
        self.python_function, self.traces = python_function, {}

    def __call__(self, *args):
        tensors = [convert_to_tensor(a) for a in args]
        key = tuple((t._value.shape, t._value.dtype) if isinstance(t, EagerTensor) else state.graph for t in tensors)
        if key not in self.traces:
            self.traces[key] = self.trace(len(tensors))
        graph = self.traces[key]
        outputs = call_graph(graph, [*tensors, *[outer for outer, _ in graph.captured.values()]])
        return outputs[0] if len(outputs) == 1 else outputs

    def trace(self, count):
        graph = FuncGraph(outer=state.graph)
        with graph.as_default():
            arguments = [graph.placeholder() for _ in range(count)]
            result = self.python_function(*arguments)
            results = result if isinstance(result, (list, tuple)) else [result]
            graph.outputs = [graph.own(t) for t in results if t is not None]
        return graph

function = Function

cube = function(lambda x: x * x * x)
assert cube(3.0).numpy() == 27.0
assert gradient_of(cube, x)[0].numpy() == 27.0  # the tape stands outside the function...
assert function(lambda x: gradient_of(cube, x)[0])(3.0).numpy() == 27.0  # ...and here inside another
chapter_done("8  interpretation defines a function", "tape outside = tape inside = 27")


# 9. Regions: one pure XLA program                           (compile/plan.py, compile/region.py, compile/lowering.py)
#
# XLA makes one fast program out of many ops, if they are pure and their shapes are known. Graphs are neither: they
# write variables, print, and learn their shapes late. So we *cut* the instructions. Host instructions that are ready
# run first; then everything that has become ready forms one region; what waits for its results (a print) follows.
# Order is kept where it can be seen: between a variable's writes and its other uses, and among effects.
#
# A region becomes a program when it is reached with a new *key*: the shapes and dtypes of its inputs. Inside the
# program a variable is a `Ref`, an index into a list of values: a read gives the current entry, a write replaces it.
# What came in as entries goes out as results, and the program is pure. Values that are known (constants) stay NumPy
# arrays during lowering.
#
# Some operands must be known: `Fill` cannot make an array of a length that is itself data. We do not predict this. We
# lower, and an op that lacks a value raises `NeedsValue`; then the value of the input it came from joins the key, and
# we lower again.

EFFECTS = []
op("PrintV2", host=True, outputs=lambda inputs, attrs: 0)(lambda xp, value: EFFECTS.append(float(value)) or [])

class Ref:
    def __init__(self, index):
        self.index = index

class NeedsValue(Exception):
    def __init__(self, place):
        self.place = place

def lower(instructions, env, entries):
    """Run instructions on tracers; `entries` are the current values of the variables."""
    for op, attrs, ins, outs in instructions:
        values = [env[i] for i in ins]
        if op.name == "ReadVariableOp":
            env[outs[0]] = entries[values[0].index]
        elif hasattr(op, "update"):
            entries[values[0].index] = op.update(xla_numpy, entries[values[0].index], values[1])
        else:
            for position in op.static:
                if not isinstance(values[position], np.ndarray):
                    raise NeedsValue(ins[position])
            known = bool(values) and all(isinstance(v, np.ndarray) for v in values)
            env.update(zip(outs, op.call(host_numpy if known else xla_numpy, values, attrs)))

def written(instruction):
    """The variable an instruction writes, as a list of none or one."""
    return instruction.ins[:1] if hasattr(instruction.op, "update") else []

def touched(instruction):
    return instruction.ins[:1] if instruction.op.name == "ReadVariableOp" else written(instruction)

def dependencies(instructions):
    """For each instruction the numbers of those that must run before it."""
    before, made_by, last_write, readers, last_effect = [], {}, {}, {}, set()
    for n, instruction in enumerate(instructions):
        needs = {made_by[i] for i in instruction.ins if i in made_by}
        for handle in touched(instruction):
            needs |= last_write.get(handle, set())
            if written(instruction):
                needs |= readers.pop(handle, set())
                last_write[handle] = {n}
            else:
                readers.setdefault(handle, set()).add(n)
        if instruction.op.host:
            needs |= last_effect
            last_effect = {n}
        made_by.update((o, n) for o in instruction.outs)
        before.append(needs)
    return before

def cut(instructions):
    """[(is host, instructions)], by taking again and again what is ready: first for the host, then for a region."""
    before, left, done, steps = dependencies(instructions), list(range(len(instructions))), set(), []
    for host in itertools.cycle([True, False]):
        if not left:
            return steps
        taken = []
        for n in left:
            if instructions[n].op.host is host and before[n] <= done:
                taken.append(instructions[n])
                done.add(n)
        left = [n for n in left if n not in done]
        if taken:
            steps.append((host, taken))

counter = Variable([0.0, 0.0])

@function
def count_down(by):
    counter.assign_sub(by)
    run("PrintV2", run("Sum", counter))
    counter.assign_sub(by)

graph = count_down.trace(1)
(by, handle), places = graph.inputs, {t._id: t._id for t in graph.inputs}
(_, region), (_, host) = cut(schedule(graph, places))  # both writes in one region; the print sank behind it
assert [i.op.name for i in host] == ["PrintV2"]

def pure(old, by_value):
    entries = [old]
    lower(region, {handle._id: Ref(0), by._id: by_value}, entries)
    return entries[0]

assert jax.jit(pure)(np.zeros(2, np.float32), np.float32(1)).tolist() == [-2.0, -2.0]
assert counter.numpy().tolist() == [0.0, 0.0]  # tracing and running the program touched nothing
chapter_done("9  a region, then the host", f"{len(region)} instructions, no effects inside")


# 10. Donated state, and the commit in one loop                                                    (compile/region.py)
#
# A training step replaces every weight. XLA can write the new weights into the memory of the old ones if we *donate*
# it. Then two things must never happen. First, somebody still holds the old array: so we donate only buffers that
# nobody but their cell refers to, and copy the others before. Second, the step is interrupted (Ctrl-C) after the call
# and before the results are stored: the old weights are gone, the new ones not yet there. CPython looks for signals
# between bytecodes; so there must be no bytecode in between. `deque(map(store, cells, results), 0)` calls the program
# and stores every result inside one C loop.

store = Cell.buf.__set__
copy = jax.jit(jnp.copy)

def references(cell):
    return sys.getrefcount(cell.buf)

ALONE = references(Cell(np.zeros(1)))  # how many a buffer has that only its cell holds

class Region:
    def __init__(self, instructions, later):
        made = {o for n in instructions for o in n.outs}
        handles = dict.fromkeys(h for n in instructions for h in touched(n))
        self.instructions = instructions
        self.writes = list(dict.fromkeys(h for n in instructions for h in written(n)))
        self.reads = [h for h in handles if h not in self.writes]
        self.inputs = [i for i in dict.fromkeys(i for n in instructions for i in n.ins) if i not in {*made, *handles}]
        self.outputs = [o for n in instructions for o in n.outs if o in later]
        self.static, self.counts, self.programs = [], {}, {}

    def run(self, env):
        values = [env[i] for i in self.inputs]
        key = (*((v.shape, v.dtype) for v in values), *(np.asarray(env[i]).tobytes() for i in self.static))
        self.counts[key] = self.counts.get(key, 0) + 1
        if self.counts[key] < 2:  # compiling is not for keys that never come again
            return run_instructions(self.instructions, env)
        if key not in self.programs:
            self.programs[key] = jax.jit(self.function({i: np.asarray(env[i]) for i in self.static}), donate_argnums=0)
        try:
            self.commit(self.programs[key], values, env)
        except NeedsValue as need:
            assert need.place in self.inputs, "computed from inputs: compile/explain.py walks back to them"
            self.static.append(need.place)
            self.run(env)

    def function(self, known):
        """What JAX traces: pure, from variables and inputs to new variables and outputs."""

        def program(written, read, inputs):
            entries = [*written, *read]
            env = {h: Ref(n) for n, h in enumerate([*self.writes, *self.reads])}
            env.update(zip(self.inputs, inputs))
            env.update(known)
            lower(self.instructions, env, entries)
            return [*entries[: len(self.writes)], *[env[o] for o in self.outputs]]

        return program

    def commit(self, program, values, env):
        cells = [env[h].cell for h in self.writes]
        donated = [cell.buf if references(cell) == ALONE else copy(cell.buf) for cell in cells]
        read = [env[h].cell.buf for h in self.reads]
        boxes = [Cell() for _ in self.outputs]
        call = map(program, [donated], [read], [values])
        deque(map(store, [*cells, *boxes], itertools.chain.from_iterable(call)), 0)
        env.update((o, box.buf) for o, box in zip(self.outputs, boxes))

class Plan:
    def __init__(self, graph):
        places = {t._id: t._id for t in graph.inputs}
        steps = cut(schedule(graph, places))
        self.inputs, self.outputs = [t._id for t in graph.inputs], [places[t._id] for t in graph.outputs]
        self.steps = []
        for n, (host, instructions) in enumerate(steps):
            later = {*self.outputs, *(i for _, step in steps[n + 1:] for s in step for i in s.ins)}
            self.steps.append(instructions if host else Region(instructions, later))

    def run(self, values):
        env = dict(zip(self.inputs, values))
        for step in self.steps:
            step.run(env) if isinstance(step, Region) else run_instructions(step, env)
        return [env[i] for i in self.outputs]

def run_graph(graph, values):  # noqa: F811 - installed: functions now run by plans
    if "plan" not in graph.plans:
        graph.plans["plan"] = Plan(graph)
    return graph.plans["plan"].run(values)

for _ in range(3):  # interpreted once, compiled twice; the print shows the value between the two writes
    count_down(1.0)
(graph,) = count_down.traces.values()
assert EFFECTS == [-2.0, -6.0, -10.0] and counter.numpy().tolist() == [-6.0, -6.0]
assert len(graph.plans["plan"].steps[0].programs) == 1

filled = function(lambda n: run("Fill", n, 1.0))
assert [filled(n).numpy().size for n in (2.0, 2.0, 2.0, 3.0, 3.0)] == [2, 2, 2, 3, 3]  # n's value is part of the key

held = counter.handle._value.cell.buf
count_down(1.0)  # somebody holds the buffer: it is copied, and `held` lives
assert not held.is_deleted() and held.tolist() == [-6.0, -6.0]
address = counter.handle._value.cell.buf.unsafe_buffer_pointer()
count_down(1.0)  # nobody does: the step works in place
assert counter.handle._value.cell.buf.unsafe_buffer_pointer() == address and counter.numpy().tolist() == [-10.0, -10.0]
chapter_done("10 donated state, one-loop commit", "in place, and nobody's array dies")


# 11. All of it: a training step
#
# A two-layer network learns x**2. Every line below is user code; every mechanism above takes part. The step is traced
# once, its gradient is built by the one reverse pass, it is interpreted at its first call, and from the second on it
# is one XLA program that updates four variables in place.

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

losses = [float(train_step(points, points**2).numpy()) for _ in range(500)]
(trained,) = train_step.traces.values()
(region,) = trained.plans["plan"].steps
assert losses[-1] < 0.01 * losses[0] and len(region.programs) == 1

# The compiler has to agree with the interpreter: one step each from the same weights.
weights = [v.numpy() for v in variables]
compiled = train_step(points, points**2).numpy(), [v.numpy() for v in variables]
for variable, value in zip(variables, weights):
    variable.assign(value)
outer = [t._value for t, _ in trained.captured.values()]
interpreted = interpret(trained, [points, points**2, *outer])[0], [v.numpy() for v in variables]
for ours, meaning in zip([compiled[0], *compiled[1]], [interpreted[0], *interpreted[1]]):
    np.testing.assert_allclose(ours, meaning, rtol=1e-4, atol=1e-6)
chapter_done("11 a training step", f"{len(trained.nodes)} nodes, 1 program, loss {losses[0]:.2f} -> {losses[-1]:.4f}")

# What the real code adds. Static shapes and dtypes checked while tracing; a hundred more words and hundreds of ops;
# `If` and `While` nodes whose attributes are graphs and whose gradients are graphs again; checks of values whose failure
# is one more result of the program; strings, lists and iterators on the host; a lock around the commit, random state,
# and files that TensorFlow reads. None of it changes the picture above: docs/design.md tells the rest.

if __name__ == "__main__":
    print("\n".join(TRANSCRIPT))
