"""Lowering of variable ops: a read is the state's current value, a write replaces it."""

from __future__ import annotations

import numpy as np

from reflow.compile.lowering import MakeHost, rule
from reflow.ops.kernels.array.gather import first_bad
from reflow.ops.registry import NeedsValue
from reflow.ops.slice_spec import MASKS
from reflow.ops.xp import xla as xp

#: how an op uses the variable that is its first input
READS = frozenset({"ReadVariableOp", "ResourceGather", "VariableShape"})
WRITES = frozenset(
    {
        "AssignVariableOp",
        "AssignAddVariableOp",
        "AssignSubVariableOp",
        "ResourceScatterAdd",
        "ResourceScatterSub",
        "ResourceScatterUpdate",
        "ResourceScatterMul",
        "ResourceScatterMax",
        "ResourceScatterMin",
        "ResourceStridedSliceAssign",
    }
)


@rule("ReadVariableOp")
def _read(lowering, instruction, values):
    return [lowering.state[values[0].index]]


@rule("VariableShape")
def _shape(lowering, instruction, values):
    return [np.asarray(lowering.state[values[0].index].shape, instruction.attrs["out_type"].np_dtype)]


@rule("ResourceGather")
def _gather(lowering, instruction, values):
    ref, indices = values
    table = lowering.state[ref.index]
    _check_rows(lowering, instruction, table, indices)
    return [xp.take(table, indices, 0, instruction.attrs.get("batch_dims", 0))]


def _check_rows(lowering, instruction, table, indices):
    limit = xp.const(table.shape[0], indices)
    good = xp.logical_and(xp.greater_equal(indices, xp.const(0, indices)), xp.less(indices, limit))
    if not lowering.root.skip_checks:
        ok = xp.all(good, tuple(range(len(indices.shape))))
        rows = table.shape[0]
        lowering.fail_unless(ok, instruction, lambda resource, indices, *_: first_bad(indices, rows))


@rule("AssignVariableOp")
def _assign(lowering, instruction, values):
    lowering.state[values[0].index] = values[1]
    return []


def _updated(lowering, instruction, values):
    old = lowering.state[values[0].index]
    if tuple(old.shape) != tuple(values[1].shape):
        raise MakeHost(instruction, "it does not fit the variable")  # and says so there
    return old


@rule("AssignAddVariableOp")
def _assign_add(lowering, instruction, values):
    lowering.state[values[0].index] = xp.add(_updated(lowering, instruction, values), values[1])
    return []


@rule("AssignSubVariableOp")
def _assign_sub(lowering, instruction, values):
    lowering.state[values[0].index] = xp.subtract(_updated(lowering, instruction, values), values[1])
    return []


def _scatter(mode):
    def lower(lowering, instruction, values):
        ref, indices, updates = values
        table = lowering.state[ref.index]
        _check_rows(lowering, instruction, table, indices)
        updates = xp.broadcast_to(updates, tuple(indices.shape) + tuple(table.shape[1:]))
        lowering.state[ref.index] = xp.scatter_rows(mode, table, indices, updates)
        return []

    return lower


for _name, _mode in {"Add": "add", "Sub": "sub", "Mul": "mul", "Min": "min", "Max": "max", "Update": "set"}.items():
    rule(f"ResourceScatter{_name}")(_scatter(_mode))


@rule("ResourceStridedSliceAssign")
def _assign_slice(lowering, instruction, values):
    ref, begin, end, strides, value = values
    for i, bound in enumerate((begin, end, strides), 1):
        if not isinstance(bound, np.ndarray):
            raise NeedsValue(instruction.op, instruction.op.definition.inputs[i].name, i)
    masks = [instruction.attrs.get(m) or 0 for m in MASKS]
    lowering.state[ref.index] = xp.strided_slice_update(lowering.state[ref.index], begin, end, strides, masks, value)
    return []
