"""Slots: variables that belong to another variable or to a tensor, such as a momentum or a moving average.

A slot is made in the variable scope of the program, under the name of what it belongs to: the moving average "mean" of
`layer/w` is `layer/w/mean`, and `step/layer/w/mean` if it was made in the scope `step`. Name scopes do not count.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reflow.compat.graph_variables import SaveSliceInfo
from reflow.compat.variable_scopes import get_variable, get_variable_scope, variable_scope
from reflow.core.context import init_scope
from reflow.core.tensor import TensorBase
from reflow.eager.variables import Variable


def create_slot(primary: Any, value: Any, name: str) -> Variable:
    """A new slot of a variable or tensor. A second one of the same name gets a number, as in `w/mean_1`.

    Args:
      primary: the variable or tensor.
      value: the first value, or a function without arguments that makes it.
      name: of the slot.
    """
    with init_scope(), variable_scope(None, f"{name_of(primary)}/{name}", auxiliary_name_scope=False):
        slot = _unpartitioned(lambda: get_variable("", initializer=value, trainable=False))
    _slice_as(primary, slot)
    return slot


def _slice_as(primary: Any, slot: Variable) -> None:
    """The slot of a part of a partitioned variable is that part of a whole slot. A scalar slot has no parts."""
    whole = getattr(primary, "_save_slice_info", None)
    rank = slot.shape.rank
    if whole is not None and rank != 0:
        name = slot.name.removeprefix(f"{name_of(primary)}/").removesuffix(":0")
        slot._set_save_slice_info(  # type: ignore[attr-defined]
            SaveSliceInfo(
                f"{whole.full_name}/{name}", whole.full_shape[:rank], whole.var_offset[:rank], whole.var_shape[:rank]
            )
        )


def create_hidden(primary: Variable, name: str, shape: Any, initializer: Callable[..., Any]) -> Variable:
    """A variable behind a variable, of its dtype: each call makes another one."""
    with init_scope(), variable_scope(name_of(primary)) as scope:
        return get_variable(_free_name(scope, name), shape, primary.dtype, initializer, trainable=False)


def name_of(primary: Any) -> str:
    """The name of a variable, or of the operation that computes a tensor."""
    name: str = primary.op.name if is_tensor(primary) else primary.name.split(":")[0]
    return name


def is_tensor(primary: Any) -> bool:
    """Whether this is a tensor and no variable."""
    return isinstance(primary, TensorBase) and not hasattr(primary, "_is_resource_variable")


def _unpartitioned(make: Callable[[], Variable]) -> Variable:
    """Slots are as whole as the variables that they belong to."""
    scope = get_variable_scope()
    scope.partitioner, partitioner = None, scope.partitioner
    try:
        return make()
    finally:
        scope.partitioner = partitioner


def _free_name(scope: Any, name: str) -> str:
    """`name`, or `name_1`, `name_2`… if the scope has a variable of this name and does not reuse it."""
    taken = set() if scope.reuse else {v.name.split(":")[0] for v in scope.global_variables()}
    number = 0
    while f"{scope.name}/{name}" + (f"_{number}" if number else "") in taken:
        number += 1
    return f"{name}_{number}" if number else name
