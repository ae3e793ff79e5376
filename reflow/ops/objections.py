"""Error messages for failed kernels: TensorFlow's messages instead of Python's and NumPy's.

An error is *deliberate* if one of our `raise` statements created it: its text is meant for the user. Other errors (an
index out of range, sequences of unequal length, shapes that NumPy cannot broadcast) come from inputs that a kernel did
not expect. For those, the message of the op's shape function is better.
"""

from __future__ import annotations

import dis
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from reflow.ops.shape_facts import NodeFacts, too_large

if TYPE_CHECKING:
    from reflow.ops.record import Op

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


def words(op: Op, facts: Callable[[], NodeFacts], error: Exception) -> str:
    """The message for a kernel's error: the shape rule's, the kernel's own, or the message that graph construction has
    for such inputs.
    """
    own = str(error) or type(error).__name__
    try:
        known = facts()
    except Exception:  # values without shapes: handles, lists
        return own
    found = _objection(op.shape, known)
    if found is None and not deliberate(error):
        found = _objection(op.trace_check, known)
    return found or own


def _objection(rule: Callable | None, facts: NodeFacts) -> str | None:
    """A rule's objection to these inputs, if any; a rule that fails on them has none."""
    if rule is None:
        return None
    try:
        return too_large(rule(facts) or [])
    except Exception as objection:
        return str(objection) if isinstance(objection, ValueError) and deliberate(objection) else None
