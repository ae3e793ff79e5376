"""`tensorflow.python.module.module`: the predicates by which a module finds its parts."""

from reflow.eager.module import Module
from reflow.eager.module import _is_trainable as _is_trainable_variable
from reflow.eager.module import _is_variable as _is_variable


def _is_non_trainable_variable(x) -> bool:
    return _is_variable(x) and not _is_trainable_variable(x)


def _is_module(x) -> bool:
    return isinstance(x, Module)
