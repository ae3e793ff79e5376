"""What to say when a kernel failed: TensorFlow's words rather than those of Python and NumPy.

An error is *deliberate* when a `raise` statement of ours made it: its text is meant for the user. Others (an index out of range, sequences of
unequal length, shapes that NumPy cannot broadcast) come from inputs that a kernel did not expect; what the op's shape function says
about those inputs is a better text.
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
    """Whether a `raise` statement of ours made the error.

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
    return code.co_filename.startswith(_PACKAGE) and dis.opname[code.co_code[last.tb_lasti]] in ("RAISE_VARARGS", "RERAISE")


def words(op: Op, facts: Callable[[], NodeFacts], error: Exception) -> str:
    """The text for an error of a kernel: the shape rule's, the kernel's own, or else what is said of such inputs while a graph is built."""
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
    """What a rule says about these inputs, if it objects; a rule that fails on them has nothing to say."""
    if rule is None:
        return None
    try:
        return too_large(rule(facts) or [])
    except Exception as objection:
        return str(objection) if isinstance(objection, ValueError) and deliberate(objection) else None
