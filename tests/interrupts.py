"""Signals, for tests of what an interrupt may break.

At random moments, or at every point of a program one after the other.
"""

import dis
import functools
import signal
import sys

import numpy as np

from reflow.api.autograph.status import control_status_ctx
from reflow.core.context import State, state
from tests.conftest import WATCHED


class Interrupted(KeyboardInterrupt):
    """Raised by the signal's handler, wherever the program is."""


def assert_clean():
    """Nothing is left of what was interrupted: no tape records, no graph is built, no scope is open."""
    found = {name: getattr(state, name) for name in WATCHED if getattr(state, name) != getattr(State, name)}
    assert not found
    assert state.own_backend is None and state.direct is not None and state.target is State.backend
    assert control_status_ctx().status.name == "UNSPECIFIED"


def storm(step, check, count, longest):
    """Interrupt runs of `step` after up to `longest` seconds, `count` times, and `check` after each, with the state;
    how often one was hit."""

    armed = [False]  # so that a late signal does not strike outside of the program, where nobody expects it

    def handler(*_):
        if armed[0]:
            raise Interrupted

    hits, old = 0, signal.signal(signal.SIGALRM, handler)
    try:
        for delay in np.random.default_rng(0).uniform(1e-6, longest, size=count):
            try:
                armed[0] = True
                signal.setitimer(signal.ITIMER_REAL, delay)
                for _ in range(8):
                    step()
                armed[0] = False
            except Interrupted:
                hits += 1
            # Python's own `Condition.wait` was struck before it took its lock again, and says that
            except RuntimeError as error:
                if not isinstance(error.__context__, Interrupted):
                    raise
                hits += 1
            finally:
                armed[0] = False
                signal.setitimer(signal.ITIMER_REAL, 0)
            assert_clean()
            check()
    finally:
        signal.signal(signal.SIGALRM, old)
    return hits


@functools.cache
def _behind_calls(code) -> frozenset:
    """Offsets of the instructions before which Python looks for signals: those behind a call, and jumps back. It does
    so too when a function begins."""
    found, called = set(), False
    for instruction in dis.get_instructions(code):
        if instruction.opname == "CACHE":
            continue
        if called or instruction.opname.startswith("JUMP_BACKWARD"):
            found.add(instruction.offset)
        called = instruction.opname.startswith("CALL")
    return frozenset(found)


class _Interrupter:
    """A trace function that raises at one of the points at which a signal could have struck, or only counts them."""

    def __init__(self, folder: str, at: int | None):
        self.folder, self.at, self.count = folder, at, 0

    def __call__(self, frame, event, _):
        if not frame.f_code.co_filename.startswith(self.folder):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        self._point()
        return self.inside

    def inside(self, frame, event, _):
        if event == "opcode" and frame.f_lasti in _behind_calls(frame.f_code):
            self._point()
        return self.inside

    def _point(self):
        self.count += 1
        if self.count == self.at:
            raise Interrupted


def _traced(step, folder, at=None) -> int:
    interrupter = _Interrupter(folder, at)
    sys.settrace(interrupter)
    try:
        step()
    except Interrupted:
        pass
    finally:
        sys.settrace(None)
    return interrupter.count


def at_every_point(step, folder: str, most: int = 120) -> int:
    """Interrupt `step` at each point in the code below `folder` at which a signal could strike, and look at the state
    after each; at `most` of them, evenly spread, if there are more. How many there are."""
    _traced(step, folder)
    count = _traced(step, folder)
    assert_clean()
    for at in sorted({1 + n * count // most for n in range(most)} if count > most else range(1, count + 1)):
        _traced(step, folder, at)
        try:
            assert_clean()
        except AssertionError as error:
            raise AssertionError(f"interrupted at point {at} of {count}: {error}") from error
    return count
