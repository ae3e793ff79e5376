"""Control flow and calls: ops whose attributes are graphs.

A graph attribute is a `FuncGraph`; its `run(values)` runs it on raw values, in the way that the runtime chooses.
Captures of the bodies are explicit inputs, so nothing is hidden from the reverse pass, from export, or from the
compiler. Their gradients are in `reflow/function/gradients.py`, which builds graphs, and are installed from there.
"""

from __future__ import annotations

import functools

import numpy as np

from reflow.core import errors
from reflow.core.resources import lasting
from reflow.core.shapes import dims_of, relax
from reflow.ops.naming import Naming
from reflow.ops.registry import op


def truth(condition) -> bool:
    """A predicate's value by TensorFlow's rule: nonzero numbers and nonempty strings are true; arrays are rejected."""
    if condition.ndim:
        shape = ",".join(map(str, condition.shape))
        raise errors.InvalidArgumentError(None, None, f"The second input must be a scalar, but it has shape [{shape}]")
    value = condition[()]
    return len(value) > 0 if isinstance(value, bytes) else bool(value)


def _output_shapes(f):
    """The attribute `output_shapes` if the node has one, or what the outputs of all its graphs have in common."""
    shapes = f.attrs.get("output_shapes")
    if shapes:
        return [dims_of(s) for s in shapes]
    graphs = [f.attrs[k] for k in ("body", "then_branch", "else_branch") if f.attrs.get(k)] or f.attrs["branches"]
    return [
        functools.reduce(relax, [t._dims for t in outputs])
        for outputs in zip(*[g.outputs for g in graphs], strict=True)
    ]


def _call_shapes(f):
    """The shapes of results for arguments of these shapes, which may be more specific than the traced ones."""
    return f.attrs["f"].output_dims(f.shapes)


def _list_facts(f):
    """What is known of the lists that the graphs return."""
    graphs = f.attrs.get("branches") or [f.attrs[k] for k in ("then_branch", "else_branch", "f") if f.attrs.get(k)]
    rows = zip(*[g.outputs for g in graphs], strict=True)
    return [lasting(next((t._static for t in row if t._static is not None), None)) for row in rows]


def flow_op(name: str, flow: str, shape=_output_shapes, list_facts=_list_facts, **facts):
    """The record of an op that runs graphs."""
    return op(name, flow=flow, shape=shape, list_facts=list_facts, host=True, **facts)


# Ops come in pairs: the first is for graphs without state, the second for graphs with it (`LOOPS[is_stateful(body)]`).


def _call(_, args, f):
    return f.run(args)


CALLS = [flow_op(name, "call", _call_shapes)(_call) for name in ("PartitionedCall", "StatefulPartitionedCall")]


def _if(_, cond, input, then_branch, else_branch):
    return (then_branch if truth(cond) else else_branch).run(input)


IFS = [flow_op(name, "branch", naming=Naming("cond"))(_if) for name in ("StatelessIf", "If")]


def _case(_, branch_index, input, branches):
    index = int(branch_index)
    if not 0 <= index < len(branches):
        index = len(branches) - 1
    return branches[index].run(input)


_CASE = Naming("switch_case/indexed_case")
CASES = [flow_op(name, "branch", naming=_CASE)(_case) for name in ("StatelessCase", "Case")]


def _while(_, input, cond, body):
    values = list(input)
    while truth(cond.run(values)[0]):
        values = body.run(values)
    return values


_LOOP = {"list_facts": lambda f: [lasting(v) for v in f.values], "naming": Naming("while")}
LOOPS = [flow_op(name, "loop", **_LOOP)(_while) for name in ("StatelessWhile", "While")]


class Absent:
    """The value of an output that the untaken branch of an `If` would have produced; nothing ever reads it."""

    tensor_dtype = None
    shape = ()
    dtype = np.dtype(np.float32)

    def __repr__(self):
        return "<absent>"


ABSENT = Absent()


@op("FakeParam", shape=lambda f: [dims_of(f.attrs.get("shape"))], variants=True)
def fake_param(_, dtype, shape):
    return ABSENT
