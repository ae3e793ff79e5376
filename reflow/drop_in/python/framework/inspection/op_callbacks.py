"""`tensorflow.python.framework.op_callbacks`: functions that are told of every op of their thread.

While a thread has some, its backend observes ops (`reflow/backends/observed.py`, which says how they are called).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reflow.backends.observed import Callback, ObservedBackend, Observers
from reflow.core.context import state


def _observers() -> Observers:
    own = state.own_backend
    return own.observers if isinstance(own, ObservedBackend) else Observers()


def add_op_callback(callback_fn: Callback) -> None:
    """Call a function after each op of this thread, also in functions traced from now on.

    Raises:
        ValueError: it is no function.
    """
    if callback_fn is None:
        raise ValueError("Passed callback function cannot be None.")
    if not callable(callback_fn):
        raise ValueError(
            f"Callback function passed to op_callback() is expected to be callable, but got {callback_fn} of type "
            f"{type(callback_fn)}."
        )
    observers = _observers()
    if not isinstance(state.own_backend, ObservedBackend):
        state.put({"backend": ObservedBackend(state.own_backend, observers)})
    if callback_fn not in observers.callbacks:
        observers.callbacks.append(callback_fn)


def should_invoke_op_callbacks() -> bool:
    """Whether an op of this thread would be told now: not while a callback runs."""
    return _observers().listening


def remove_op_callback(op_callback: Callback) -> None:
    """Call a function no more.

    Raises:
        KeyError: it was not added.
    """
    observers = _observers()
    if op_callback not in observers.callbacks:
        raise KeyError("The specified op callback has not been registered, and hence cannot be removed.")
    observers.callbacks.remove(op_callback)
    own = state.own_backend
    if not observers.callbacks and isinstance(own, ObservedBackend):
        state.put({"backend": own._inner})


def clear_op_callbacks() -> None:
    """Call none of them any more."""
    for callback in list(_observers().callbacks):
        remove_op_callback(callback)


def invoke_op_callbacks(
    op_type: str, inputs: Sequence, attrs: Any, outputs: Sequence, op_name: str | None = None, graph: Any = None
) -> Any:
    """Call them for an op; returns the outputs as they are then."""
    return _observers().tell(op_type, inputs, attrs, outputs, op_name, graph)
