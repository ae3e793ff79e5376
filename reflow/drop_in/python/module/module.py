"""`tensorflow.python.module.module`: the predicates by which a module finds its parts."""

import re

from reflow.eager.module import Module
from reflow.eager.module import _is_trainable as _is_trainable_variable
from reflow.eager.module import _is_variable as _is_variable


def _is_non_trainable_variable(x) -> bool:
    return _is_variable(x) and not _is_trainable_variable(x)


def _is_module(x) -> bool:
    return isinstance(x, Module)


def camel_to_snake(value) -> str:
    """`SomeClass` as `some_class`."""
    return re.sub(r"((?<=[a-z0-9])[A-Z]|(?!^)[A-Z](?=[a-z]))", r"_\1", value).lower()


def valid_identifier(name) -> bool:
    """Whether a text is made of letters of English, digits and underscores, and does not begin with a digit."""
    return re.fullmatch(r"[a-zA-Z_]\w*", str(name), re.ASCII) is not None
