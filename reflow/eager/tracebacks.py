"""Which frames a traceback shows: those of the user's program, and the innermost one.

`tf.debugging.disable_traceback_filtering` shows all of them, and the errors of kernels behind TensorFlow's errors.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

import numpy as np

#: the folder of this package, and the one into which it or its dependencies are installed
OURS = str(Path(__file__).parents[1]) + os.sep
_INSTALLED = str(Path(np.__file__).parents[1]) + os.sep


class Filter:
    """Whether frames are hidden, as `tf.debugging.is_traceback_filtering_enabled` says."""

    on = True


def without_ours(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback without Reflow's frames. The innermost frame, which raised the error, always stays.

    >>> without_ours(None)
    """
    frames = []
    while traceback is not None:
        frames.append(traceback)
        traceback = traceback.tb_next
    kept = None
    for frame in reversed(frames):
        if kept is None or not frame.tb_frame.f_code.co_filename.startswith(OURS):
            kept = TracebackType(kept, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return kept


def shorten(error: BaseException) -> None:
    """Take Reflow's frames out of the traceback of an error, unless the user wants to see them."""
    if Filter.on:
        error.__traceback__ = without_ours(error.__traceback__)


def cause(error: BaseException) -> BaseException | None:
    """The error behind one of TensorFlow's, or None if it tells a user nothing: no line of the program raised it.

    >>> cause(ValueError("operands could not be broadcast together"))
    """
    if not Filter.on:
        return error
    traceback = error.__traceback__
    while traceback is not None:
        if not traceback.tb_frame.f_code.co_filename.startswith((OURS, _INSTALLED)):
            return error
        traceback = traceback.tb_next
    return None
