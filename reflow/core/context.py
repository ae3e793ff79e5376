"""What surrounds the running line of Python, per thread: the graph being built, the tapes, the device, the name scope.

`state.graph is None` means eager. Everything else in Reflow asks this object; nothing else keeps global mode flags.
"""

from __future__ import annotations

import contextlib
import contextvars
import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from reflow.core.types import Tape

#: never-reused ids of tensors, handles and graphs; `id()` is never a key
new_id = itertools.count(1).__next__


class State(threading.local):
    """The per-thread stack tops. Class attributes are the defaults of a new thread."""

    graph: Any = None  # the innermost `Graph` under construction, or None
    tapes: tuple[Tape, ...] = ()  # active tapes and accumulators, outermost first
    device = ""  # the innermost device scope
    place: Any = None  # where the running function was called, if there is a choice of devices
    name_scope = ""  # eager name scope, ends in "/" if not empty
    replica_context: Any = None  # installed by tf.distribute
    strategy: Any = None
    updating: int | None = None  # the replica whose copies of variables `StrategyExtended.update` is writing
    interpreting = False  # inside a stretch that is interpreted: functions it calls are interpreted too
    functions_eagerly = False  # tf.config.run_functions_eagerly
    variable_creators: tuple[Callable[..., Any], ...] = ()  # stack of variable creator functions
    native = False  # lowering a program that may call kernels in C++ (`reflow/ops/xp/xla/native.py`)
    accelerated = False  # lowering a program for an accelerator, whose matrix units take 16-bit floats as they are

    def __init__(self) -> None:
        # Kernels run by `state.run(kernel, ...)` in a context of their own in which NumPy's floating-point warnings are
        # off: free, where `with np.errstate` costs 3 to 4.5 µs an op. The user's error state is untouched.
        quiet = contextvars.Context()
        quiet.run(np.seterr, all="ignore")
        self.run = quiet.run


state = State()


@contextlib.contextmanager
def swapped(**values: Any) -> Iterator[None]:
    """Set attributes of the state for a `with` block.

    >>> with swapped(device="/CPU:0"):
    ...     state.device
    '/CPU:0'
    """
    old = {name: getattr(state, name) for name in values}
    for name, value in values.items():
        setattr(state, name, value)
    try:
        yield
    finally:
        for name, value in old.items():
            setattr(state, name, value)


def executing_eagerly() -> bool:
    """Whether ops run now, rather than being added to a graph.

    >>> executing_eagerly()
    True
    """
    return state.graph is None


def init_scope() -> contextlib.AbstractContextManager[None]:
    """Leave all functions under construction and pause the tapes, for a `with` block.

    What runs inside happens once, now, and not in the graph: variable creation uses it.
    """
    outer = state.graph
    while outer is not None and outer.building_function:
        outer = outer.outer_graph
    return swapped(graph=outer, tapes=())
