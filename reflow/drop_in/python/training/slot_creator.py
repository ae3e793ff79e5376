"""`tensorflow.python.training.slot_creator`: variables that belong to another one, such as a momentum."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from reflow.api.array import arrange, creation
from reflow.api.initializers import Zeros
from reflow.compat.train import slots
from reflow.distribute.strategy import get_strategy
from reflow.eager.variables import Variable


def _made(primary: Any, value: Any, name: str, colocate: bool) -> Variable:
    beside = get_strategy().extended.colocate_vars_with(primary) if colocate else contextlib.nullcontext()
    with beside:
        return slots.create_slot(primary, value, name)


def create_slot(primary: Any, val: Any, name: str, colocate_with_primary: bool = True) -> Variable:
    """A slot of a variable or tensor, which begins with a tensor; by default on the device of `primary`."""
    return _made(primary, val, name, colocate_with_primary)


def create_slot_with_initializer(
    primary: Any, initializer: Callable, shape: Any, dtype: Any, name: str, colocate_with_primary: bool = True
) -> Variable:
    """A slot of a variable or tensor, which begins with what an initializer makes."""
    return _made(primary, lambda: initializer(shape.as_list(), dtype=dtype), name, colocate_with_primary)


def create_zeros_slot(
    primary: Any, name: str, dtype: Any = None, colocate_with_primary: bool = True
) -> Variable:
    """A slot of zeros with the shape of a variable or tensor, and its dtype if no other is given."""
    dtype = primary.dtype if dtype is None else dtype
    if primary.shape.is_fully_defined():
        return create_slot_with_initializer(primary, Zeros(), primary.shape, dtype, name, colocate_with_primary)
    value = primary if slots.is_tensor(primary) else primary.initialized_value()
    return create_slot(primary, creation.zeros(arrange.shape(value), dtype), name, colocate_with_primary)
