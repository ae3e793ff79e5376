"""Error messages for failed kernels: TensorFlow's messages instead of Python's and NumPy's.

An error is *deliberate* if one of our `raise` statements created it: its text is meant for the user. Other errors (an
index out of range, sequences of unequal length, shapes that NumPy cannot broadcast) come from inputs that a kernel did
not expect. For those, the message of the op's shape function is better; if it has none, the message says what the
inputs were.
"""

from __future__ import annotations

import dis
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from reflow.core.errors import InvalidArgumentError, OpError, ResourceExhaustedError
from reflow.core.failures import class_of, message_of
from reflow.core.types import Attrs
from reflow.ops.from_python import short_name
from reflow.ops.shape_facts import NodeFacts, PartialValue, text, too_large

if TYPE_CHECKING:
    from reflow.ops.record import Op

_PLAIN = (ValueError, TypeError, IndexError, KeyError, AttributeError, OverflowError, ZeroDivisionError)
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def deliberate(error: BaseException) -> bool:
    """Whether one of our `raise` statements created the error.

    >>> try:
    ...     [].pop()
    ... except IndexError as error:
    ...     print(deliberate(error))
    False
    """
    last = error.__traceback__
    if last is None:
        return False
    while last.tb_next is not None:
        last = last.tb_next
    code = last.tb_frame.f_code
    return (
        code.co_filename.startswith(_PACKAGE)
        and dis.opname[code.co_code[last.tb_lasti]] in ("RAISE_VARARGS", "RERAISE")
    )


def described(op: Op, facts: Callable[[], NodeFacts], error: Exception) -> tuple[type[OpError], str]:
    """TensorFlow's class and message for an error that a kernel raised.

    A result with more elements than 63 bits can count is an invalid argument, any other that does not fit into memory
    exhausts a resource.
    """
    kind = class_of(error)
    if kind is not ResourceExhaustedError:
        return kind, words(op, facts, error)
    try:
        refused = _objection(op.shape, facts())
    except Exception:  # values without shapes
        refused = None
    return (kind, message_of(error)) if refused is None else (InvalidArgumentError, refused)


def words(op: Op, facts: Callable[[], NodeFacts], error: Exception) -> str:
    """The message for a kernel's error: the shape rule's, the kernel's own, the message that graph construction has
    for such inputs, or in place of Python's and NumPy's words what the inputs were.
    """
    own = str(error) or type(error).__name__
    try:
        known = facts()
    except Exception:  # values without shapes: handles, lists
        return own
    found = _objection(op.shape, known)
    if found is None and not deliberate(error):
        found = _objection(op.trace_check, known)
        if found is None and _of_arrays(error):
            found = f"{op.name} cannot be computed of these inputs: {_described(known)}"
    return found or own


def wrong_attribute(op: Op, attrs: Attrs, error: Exception) -> str | None:
    """What TensorFlow says of an attribute of the wrong type, if one has made a kernel fail.

    Functions do not look at the types of attributes before: kernels take what fits.
    """
    if deliberate(error):
        return None
    for attr in op.definition.attrs.values():
        value, fits = attrs.get(attr.name), _TYPES.get(attr.type)
        if attr.name in attrs and fits is not None and not fits(value):
            return f"Expected {attr.type} for argument '{attr.name}' not {value!r}."
    return None


_TYPES: dict[str, Callable[[Any], bool]] = {
    "int": lambda v: isinstance(v, (int, np.integer)), "string": lambda v: isinstance(v, (str, bytes)),
    "float": lambda v: isinstance(v, (int, float, np.number)),
}


def _of_arrays(error: Exception) -> bool:
    """Whether Python's or NumPy's operations raised the error, whose words do not speak of the op.

    Those of other libraries, and of a program's own functions, are kept.
    """
    if type(error) not in _PLAIN:
        return False
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    module = "" if last is None else last.tb_frame.f_globals.get("__name__", "")
    return module.split(".")[0] in ("reflow", "numpy", "jax")


def _described(facts: NodeFacts) -> str:
    """The inputs with their dtypes and shapes, of small tensors of integers also the values; and plain attributes."""
    inputs = facts.op.definition.inputs
    known = zip(facts.dtypes, facts.shapes, facts.values, strict=True)
    parts = []
    for i, (dtype, dims, value) in enumerate(known):
        name = inputs[i].name if len(inputs) == len(facts.shapes) else f"input {i}"
        shown = "" if value is None else f" = {_list(value)}"
        parts.append(f"{name}: {short_name(dtype)}{text(dims)}{shown}")
    parts += [f"{name} = {value!r}" for name, value in facts.attrs.items() if type(value) in (bool, int, float, str)]
    return ", ".join(parts)


def _list(value: PartialValue) -> str:
    """A partial value in brackets, as TensorFlow shows tensors."""
    return f"[{','.join(map(_list, value))}]" if isinstance(value, tuple) else str(value)


def _objection(rule: Callable | None, facts: NodeFacts) -> str | None:
    """A rule's objection to these inputs, if any; a rule that fails on them has none."""
    if rule is None:
        return None
    try:
        return too_large(rule(facts) or [])
    except Exception as objection:
        return str(objection) if isinstance(objection, ValueError) and deliberate(objection) else None
