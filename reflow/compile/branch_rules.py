"""Lowering of branches: `If` and `Case` become `lax.switch`.

A known predicate drops the other branch before it is ever lowered. Branches that do not fit together (different shapes, a host
op, a size that depends on data) make the whole op a host op.
"""

from __future__ import annotations

import jax
import numpy as np
from jax import lax

from reflow.compile.lists import ListValue
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
                outs = [_filler(absent[i]) if o is ABSENT else plain(o) for i, o in enumerate(outs)]
                return outs, [as_array(scope.state[k]) for k in written], as_array(scope.code, np.dtype(np.int32))

            return run

        functions = [make(b) for b in branches]
        outs, state, code = lax.switch(index, functions, np.int32(0))
    except NeedsValue as need:
        raise MakeHost(instruction, f"in a branch {str(need).rstrip('.')}") from None
    except MakeHost as inner:
        raise MakeHost(instruction, f"a branch holds {inner}", inner.refused) from None
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


def plain(value):
    if isinstance(value, ListValue):
        return value.as_arrays()
    if isinstance(value, Ref):
        raise TypeError("a branch returns a variable's handle")
    return as_array(value)


@rule("If", "StatelessIf")
def _if(lowering, instruction, values):
    predicate, *rest = values
    graphs = [instruction.attrs["else_branch"], instruction.attrs["then_branch"]]
    if predicate.shape != ():
        raise MakeHost(instruction, "its predicate is no scalar")
    if is_known(predicate):
        return lowering.run_graph(graphs[truth(predicate)], rest)
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
