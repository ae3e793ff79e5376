"""Errors in converted functions: the user's lines come before the message, and our frames leave the traceback."""

from __future__ import annotations

import contextlib
import os
import re
import traceback
import types
from collections.abc import Iterator
from typing import Any

from reflow.api.autograph import function_source

HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
#: pieces that the converter cuts out of a function
GENERATED = re.compile(r"^((if_body|else_body|loop_body|loop_test|extra_test|get_state|set_state)(_\d+)?|<lambda>)$")


#: errors that are nothing but their message
PLAIN = (
    AssertionError,
    AttributeError,
    NameError,
    NotImplementedError,
    RuntimeError,
    TypeError,
    UnboundLocalError,
    ValueError,
)


def show_user_code(error: BaseException) -> BaseException:
    """The error with the user's lines in front of its message, and the frames between them dropped from its traceback.

    It stays the same object, with its class, attributes and cause (but a `KeyError`, which would show its message
    quoted, is replaced by one that does not). An error that did not pass converted code is left alone.
    """
    steps = list(_steps(error.__traceback__))
    own = [i for i, tb in enumerate(steps) if not _is_internal(tb)]
    if not any(_is_converted(steps[i].tb_frame.f_code) for i in own) or hasattr(error, "ag_pass_through"):
        return error
    text = "\n".join(["in user code:", "", *_frame_lines([steps[i] for i in own]), ""])
    error = _prepend(error, text)
    chain = None
    for i in reversed([*own, *range(own[-1] + 1, len(steps))]):
        tb = steps[i]
        chain = types.TracebackType(chain, tb.tb_frame, tb.tb_lasti, tb.tb_lineno)
    error.__traceback__ = chain
    return error


def _steps(tb: types.TracebackType | None) -> Iterator[types.TracebackType]:
    while tb is not None:
        yield tb
        tb = tb.tb_next


def _is_internal(tb: types.TracebackType) -> bool:
    name = tb.tb_frame.f_code.co_filename
    return (
        name.startswith(HERE)
        or os.sep + "malt" + os.sep in name
        or name.endswith("contextlib.py")
        or name.startswith("<frozen")
    )


def _is_converted(code: types.CodeType) -> bool:
    """Whether a code object was converted, or examined and found to need no conversion."""
    return "ag__" in code.co_freevars or not function_source.matters(code)


def _frame_lines(steps: Any) -> list:
    lines = []
    for tb, after in zip(steps, [*steps[1:], None], strict=True):
        if after is not None and _is_piece_of(after.tb_frame.f_code, tb.tb_frame.f_code):
            continue
        code = tb.tb_frame.f_code
        mark = "  *" if _is_converted(code) else "  **"
        summary = traceback.FrameSummary(code.co_filename, tb.tb_lineno, code.co_name)
        lines += [
            f'    File "{code.co_filename}", line {tb.tb_lineno}, in {code.co_name}{mark}',
            f"        {summary.line or '<source unavailable>'}",
        ]
    return lines


def _is_piece_of(inner: types.CodeType, outer: types.CodeType) -> bool:
    """Whether one code object was cut out of another by the converter: then both are the same function to the user."""
    prefix = outer.co_qualname + ".<locals>."
    if inner.co_filename != outer.co_filename or not inner.co_qualname.startswith(prefix):
        return False
    return all(GENERATED.match(part) for part in inner.co_qualname[len(prefix) :].split(".<locals>."))


def _prepend(error: Any, text: str) -> BaseException:
    message = getattr(error, "_reflow_message", None)
    if message is None:
        message = f"{type(error).__name__}: {error}"
        with contextlib.suppress(AttributeError):
            error._reflow_message = message
    full = text + "\n" + "\n".join("    " + line for line in message.split("\n")) + "\n"
    if hasattr(error, "_message"):  # an OpError
        error._message = full
        return error
    if type(error) is KeyError:
        new = ShownKeyError(full)
        new.__cause__, new.__context__, new._reflow_message = error.__cause__, error.__context__, message
        return new
    given = error.args
    if type(error) in PLAIN or (len(given) == 1 and isinstance(given[0], str)):
        error.args = (full,)
        if str(error) == full:
            return error
        error.args = given
    error.add_note(text)
    return error


class ShownKeyError(KeyError):
    """A `KeyError` whose message is text, not a key."""

    _reflow_message = ""

    def __str__(self) -> str:
        return str(self.args[0])


ShownKeyError.__name__ = ShownKeyError.__qualname__ = "KeyError"
