"""Lowering of control flow: branches to `lax.cond` and `lax.switch`, loops to `lax.while_loop`.

A known predicate drops the other branch before it is ever lowered. A loop carries only what its body changes; what
passes through
unchanged stays outside, so that sizes stay known. Variables written inside and the check code are carried too. A branch or
body that does not fit (different shapes, a host op, a size that depends on data) makes the whole op a host op.
"""

from __future__ import annotations

import jax
import numpy as np
from jax import lax

from reflow.compile.lists import ListValue, finish_lists, prepare_lists
from reflow.compile.lowering import MakeHost, NeedsValue, Ref, as_array, rule
from reflow.ops.kernels.control import ABSENT, truth


def is_known(value) -> bool:
    return isinstance(value, np.ndarray)


def written_refs(before: dict, after: dict) -> list:
    return [k for k, v in after.items() if before.get(k) is not v]


class _Branch:
    """One branch of an `If` or `Case`, lowered in a scope of its own."""

    def __init__(self, lowering, graph, values):
        self.lowering, self.graph, self.values = lowering, graph, values
        self.written: list = []

    def outputs(self):
        scope = self.lowering.child()
        outs = self.lowering_run(scope)
        self.written = written_refs(self.lowering.state, scope.state)
        return scope, outs

    def lowering_run(self, scope):
        return scope.run_graph(self.graph, self.values)


def _lower_branches(lowering, instruction, index, graphs, values):
    branches = [_Branch(lowering, g, values) for g in graphs]
    try:
        absent, written = _probe(branches)

        def make(branch):
            def run(_):
                scope, outs = branch.outputs()
                outs = [_filler(absent[i]) if o is ABSENT else _plain(o) for i, o in enumerate(outs)]
                return outs, [as_array(scope.state[k]) for k in written], as_array(scope.code, np.dtype(np.int32))

            return run

        functions = [make(b) for b in branches]
        outs, state, code = lax.switch(index, functions, np.int32(0))
    except NeedsValue as need:
        raise MakeHost(instruction, f"a branch needs the value of {need}") from None
    except MakeHost as inner:
        raise MakeHost(instruction, f"a branch holds {inner}") from None
    except TypeError as error:
        raise MakeHost(instruction, f"the branches differ: {str(error)[:200]}") from None
    for key, value in zip(written, state, strict=True):
        lowering.state[key] = value
    lowering.code = code
    return outs


def _probe(branches):
    """Abstract results of all branches: shapes for absent outputs, and which variables are written."""
    checks = branches[0].lowering.root.checks
    count = len(checks)
    shapes: dict = {}
    written: dict = {}
    needs_shapes = any(t.op.record.name == "FakeParam" for b in branches for t in b.graph.outputs)
    for branch in branches:
        kinds: list = []

        def abstract(branch=branch, kinds=kinds):
            _, outs = branch.outputs()
            kinds.extend(outs)
            return [o for o in outs if o is not ABSENT and not isinstance(o, Ref)]

        jax.eval_shape(abstract)
        written.update(dict.fromkeys(branch.written))
        if needs_shapes:
            for i, o in enumerate(kinds):
                if o is not ABSENT and not isinstance(o, Ref):
                    shapes[i] = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), o)
    del checks[count:]
    return shapes, list(written)


def _filler(shape):
    return jax.tree.map(lambda s: lax.full(s.shape, 0, s.dtype), shape)


def _plain(value):
    if isinstance(value, ListValue):
        return value.as_arrays()
    if isinstance(value, Ref):
        raise TypeError("a branch returns a variable's handle")
    return as_array(value)


@rule("If", "StatelessIf")
def _if(lowering, instruction, values):
    predicate, *rest = values
    graphs = [instruction.attrs["else_branch"], instruction.attrs["then_branch"]]
    if is_known(predicate):
        return lowering.run_graph(graphs[truth(predicate)], rest)
    if predicate.shape != ():
        return lowering.run_graph(graphs[int(np.prod(predicate.shape)) > 0], rest)
    index = lax.convert_element_type(
        predicate if predicate.dtype == bool else lax.ne(predicate, lax.full_like(predicate, 0)), np.int32
    )
    return _lower_branches(lowering, instruction, index, graphs, rest)


@rule("Case", "StatelessCase")
def _case(lowering, instruction, values):
    index, *rest = values
    graphs = instruction.attrs["branches"]
    last = len(graphs) - 1
    if is_known(index):
        at = int(index)
        return lowering.run_graph(graphs[at if 0 <= at <= last else last], rest)
    inside = lax.bitwise_and(lax.ge(index, np.int32(0)), lax.le(index, np.int32(last)))
    return _lower_branches(lowering, instruction, lax.select(inside, index, lax.full_like(index, last)), graphs, rest)


@rule("FakeParam")
def _fake_param(lowering, instruction, values):
    return [ABSENT]


# --- loops -----------------------------------------------------------------------------------------------------------


@rule("While", "StatelessWhile")
def _while(lowering, instruction, values):
    try:
        return _Loop(lowering, instruction, values).lower()
    except NeedsValue as need:
        raise MakeHost(instruction, f"the loop needs the value of {need}") from None
    except MakeHost as inner:
        if inner.instruction is instruction:
            raise
        raise MakeHost(instruction, f"the loop holds {inner}") from None


class _Loop:
    """One `While`: which values change, how often it runs if that is known, and its `lax.while_loop`."""

    def __init__(self, lowering, instruction, values):
        self.lowering, self.instruction, self.values = lowering, instruction, list(values)
        self.cond, self.body = instruction.attrs["cond"], instruction.attrs["body"]
        ids = [t._id for t in self.body.inputs]
        self.changing = [i for i, t in enumerate(self.body.outputs) if t._id != ids[i]]

    def lower(self):
        self.written: list = []
        values = prepare_lists(self, self.values)
        start = [_plain(values[i]) for i in self.changing]
        self._learn_writes(values)
        state = [as_array(self.lowering.state[k]) for k in self.written]
        carry = (start, state, as_array(self.lowering.code, np.dtype(np.int32)))
        try:
            outs, state, code = lax.while_loop(self._condition(values), self._step(values), carry)
        except TypeError as error:
            raise MakeHost(self.instruction, f"the loop's shapes change: {str(error)[:200]}") from None
        for key, value in zip(self.written, state, strict=True):
            self.lowering.state[key] = value
        self.lowering.code = code
        result = list(values)
        for i, value in zip(self.changing, outs, strict=True):
            result[i] = value
        return finish_lists(self, result)

    def _scope(self, state, code):
        scope = self.lowering.child()
        scope.state.update(zip(self.written, state, strict=True))
        scope.code = code
        return scope

    def _full(self, values, changing):
        full = list(values)
        for i, value in zip(self.changing, changing, strict=True):
            full[i] = value
        return full

    def _condition(self, values):
        def condition(carry):
            changing, state, code = carry
            (test,) = self._scope(state, code).run_graph(self.cond, self._full(values, changing))
            return as_array(test, np.dtype(bool)).reshape(())

        return condition

    def _step(self, values):
        def step(carry):
            changing, state, code = carry
            scope = self._scope(state, code)
            outs = scope.run_graph(self.body, self._full(values, changing))
            return (
                [_plain(outs[i]) for i in self.changing],
                [as_array(scope.state[k]) for k in self.written],
                as_array(scope.code, np.dtype(np.int32)),
            )

        return step

    def _learn_writes(self, values):
        """Which variables the body writes, by lowering it once abstractly."""
        checks = self.lowering.root.checks
        count = len(checks)

        def abstract(*changing):
            scope = self.lowering.child()
            scope.run_graph(self.body, self._full(values, list(changing)))
            self.written = written_refs(self.lowering.state, scope.state)
            return 0

        jax.eval_shape(abstract, *[_plain(values[i]) for i in self.changing])
        del checks[count:]

    # --- how often

    def trip_count(self, limit: int = 1_000_000) -> int | None:
        """The number of iterations, if the condition depends only on known integers and what the body makes of them."""
        needed = self._condition_slice()
        if needed is None:
            return None
        values = {i: self.values[i] for i in needed}
        if any(not is_known(v) for v in values.values()):
            return None
        count = 0
        while count <= limit:
            full = [values.get(i) for i in range(len(self.values))]
            if not truth(_host_outputs(self.cond, full, [0])[0]):
                return count
            changed = [i for i in needed if i in self.changing]
            new = _host_outputs(self.body, full, changed)
            values.update(zip(changed, new, strict=True))
            count += 1
        return None

    def _condition_slice(self):
        """Positions of the loop variables that the condition depends on, closed under the body; None if that includes
        state."""
        needed = _depends(self.cond, [0])
        if needed is None:
            return None
        while True:
            more = _depends(self.body, sorted(i for i in needed if i in self.changing))
            if more is None:
                return None
            if more <= needed:
                return sorted(needed)
            needed |= more


def _depends(graph, outputs) -> set | None:
    """Which inputs some outputs depend on, if only small pure ops lie between; else None."""
    places = {t._id: i for i, t in enumerate(graph.inputs)}
    found: set = set()
    seen: set = set()
    stack = [graph.outputs[i] for i in outputs]
    while stack:
        tensor = stack.pop()
        if tensor._id in places:
            found.add(places[tensor._id])
            continue
        node = tensor.op
        if node in seen:
            continue
        seen.add(node)
        if not node.record.plain and node.record.name != "Const" or node.record.stateful:
            return None
        stack.extend(node.inputs)
    return found


def _host_outputs(graph, values, outputs):
    """Some outputs of a graph on known values, computed on the host."""
    from reflow.core.context import state
    from reflow.ops import host_numpy

    env = {t._id: v for t, v in zip(graph.inputs, values, strict=True)}

    def value(tensor):
        if tensor._id not in env:
            node = tensor.op
            if node.record.name == "Const":
                env[tensor._id] = node.attrs["value"]
            else:
                env[tensor._id] = state.run(node.record.call, host_numpy, [value(t) for t in node.inputs], node.attrs)
        return env[tensor._id]

    return [value(graph.outputs[i]) for i in outputs]
