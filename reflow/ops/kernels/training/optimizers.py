"""Optimizer steps: `ResourceApplyAdam` on whole variables, `ResourceSparseApplyMomentum` on some rows.

The arithmetic is in `update_rules.py`. As in TensorFlow, rows that are named twice take two steps, one after the other.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from reflow.core import errors
from reflow.core.context import quietly
from reflow.core.resources import commit_lock
from reflow.ops import opdef
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.array.gather import first_bad
from reflow.ops.kernels.control.state import variable_op
from reflow.ops.kernels.training import update_rules as update
from reflow.ops.registry import NO_GRADIENT
from reflow.ops.shape_rules import text

#: optimizer, as the ops' names have it -> rule
DENSE = {
    "AdaMax": update.adamax,
    "Adadelta": update.adadelta,
    "Adagrad": update.adagrad,
    "AdagradDA": update.adagrad_dual_averaging,
    "AdagradV2": update.adagrad_v2,
    "Adam": update.adam,
    "AdamWithAmsgrad": update.adam_with_amsgrad,
    "AddSign": update.add_sign,
    "CenteredRMSProp": update.centered_rms_prop,
    "Ftrl": update.ftrl,
    "FtrlV2": update.ftrl,
    "GradientDescent": update.gradient_descent,
    "KerasMomentum": update.keras_momentum,
    "Momentum": update.momentum,
    "PowerSign": update.power_sign,
    "ProximalAdagrad": update.proximal_adagrad,
    "ProximalGradientDescent": update.proximal_gradient_descent,
    "RMSProp": update.rms_prop,
}
#: those of which there is an op for rows
SPARSE = (
    "Adadelta", "Adagrad", "AdagradDA", "AdagradV2", "CenteredRMSProp", "Ftrl", "FtrlV2", "KerasMomentum", "Momentum",
    "ProximalAdagrad", "ProximalGradientDescent", "RMSProp",
)


def _names(name: str) -> tuple[list[str], tuple[str, ...]]:
    """The names of an op's inputs, and those of them that are variables."""
    inputs = opdef.lookup(name).inputs
    return [a.name for a in inputs], tuple(a.name for a in inputs if a.type == "DT_RESOURCE")


def _check_fits(values, names, shape) -> None:
    for name in names:
        if values[name].shape != shape:
            raise errors.InvalidArgumentError(
                None, None, f"var and {name} do not have the same shape{text(shape)} {text(values[name].shape)}"
            )


def _apply(name: str, rule) -> None:
    names, variables = _names(name)
    gradient = "delta" if "delta" in names else "grad"

    @variable_op(name, shape=rules.no_outputs, grad=NO_GRADIENT, writes=variables)
    def kernel(xp, *inputs, **attrs):
        operands = dict(zip(names, inputs, strict=True))
        if inputs[0].remote:
            return inputs[0].forward(name, *inputs[1:], **attrs)
        with commit_lock:
            values = operands | {v: operands[v].read() for v in variables}
            shape = values["var"].shape
            _check_fits(values, (*variables[1:], gradient), shape)
            for variable, value in quietly(rule, xp, SimpleNamespace(**values, **attrs)).items():
                # NumPy's operators make scalars of arrays without dimensions.
                array = np.asarray(value) if isinstance(value, np.generic) else value
                operands[variable].write(xp.reshape(array, shape))
        return ()


def _apply_to_rows(name: str, rule) -> None:
    names, variables = _names(name)

    @variable_op(name, lower=None, jit="between", shape=rules.no_outputs, grad=NO_GRADIENT, writes=variables)
    def kernel(xp, *inputs, **attrs):
        operands = dict(zip(names, inputs, strict=True))
        if inputs[0].remote:
            return inputs[0].forward(name, *inputs[1:], **attrs)
        with commit_lock:
            tables = {v: np.array(operands[v].read()) for v in variables}
            _check_rows(tables, operands["grad"], operands["indices"])
            for rows, gradient in _rounds(operands["indices"], operands["grad"]):
                parts = operands | {v: table[rows] for v, table in tables.items()} | {"grad": gradient}
                for variable, value in quietly(rule, xp, SimpleNamespace(**parts, **attrs)).items():
                    tables[variable][rows] = value
            for variable, table in tables.items():
                operands[variable].write(table)
        return ()


def _check_rows(tables, gradient, indices) -> None:
    """Refuse rows that do not exist, and gradients of another shape than the rows."""
    shape = tables["var"].shape
    _check_fits(tables, list(tables)[1:], shape)
    if indices.ndim != 1:
        raise errors.InvalidArgumentError(None, None, f"indices must be one-dimensional: {text(indices.shape)}")
    if gradient.shape != indices.shape + shape[1:]:
        where = f"{text(gradient.shape)} must be {text(indices.shape + shape[1:])}"
        raise errors.InvalidArgumentError(None, None, f"grad must have a row for each index: its shape {where}")
    if ((indices < 0) | (indices >= shape[0])).any():
        raise errors.InvalidArgumentError(None, None, first_bad(indices, shape[0]))


def _rounds(indices, gradient):
    """(rows, gradients) in which no row is named twice, in the order of the steps."""
    seen: dict[int, int] = {}
    turns = np.zeros(len(indices), int)
    for i, row in enumerate(indices.tolist()):
        turns[i] = seen[row] = seen.get(row, -1) + 1
    for turn in range(turns.max(initial=-1) + 1):
        chosen = turns == turn
        yield indices[chosen], gradient[chosen]


for _optimizer, _rule in DENSE.items():
    _apply(f"ResourceApply{_optimizer}", _rule)
for _optimizer in SPARSE:
    _apply_to_rows(f"ResourceSparseApply{_optimizer}", DENSE[_optimizer])
