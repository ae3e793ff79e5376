"""Gradients in eager code before there were tapes: `tf.contrib.eager.implicit_gradients`, `gradients_function` and their relatives."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.config import list_physical_devices
from reflow.eager.tape import GradientTape
from reflow.ops.convert import convert_to_tensor


def implicit_value_and_gradients(f: Callable[..., Any]) -> Callable[..., tuple[Any, list[tuple]]]:
    """A function that gives the result of `f` and pairs of gradients and variables, for all trainable variables that it read."""

    def run(*args: Any, **kwargs: Any) -> tuple[Any, list[tuple]]:
        with GradientTape() as tape:
            value = f(*args, **kwargs)
        variables = tape.watched_variables()
        if not variables:
            raise ValueError("No trainable variables were accessed while the function was being computed.")
        return value, list(zip(tape.gradient(value, variables), variables, strict=True))

    return run


def implicit_gradients(f: Callable[..., Any]) -> Callable[..., list[tuple]]:
    """A function that gives pairs of gradients and variables, for all trainable variables that `f` read."""
    run = implicit_value_and_gradients(f)
    return lambda *args, **kwargs: run(*args, **kwargs)[1]


def value_and_gradients_function(f: Callable[..., Any], params: Sequence[int | str] | None = None) -> Callable[..., tuple[Any, list]]:
    """A function that gives the result of `f` and its gradients by its arguments, or by those that `params` names or numbers."""

    def run(*args: Any, dy: Any = None) -> tuple[Any, list]:
        inputs = [convert_to_tensor(a) for a in args]
        names = list(inspect.signature(f).parameters)
        chosen = range(len(inputs)) if params is None else params
        places = [names.index(p) if isinstance(p, str) else p for p in chosen]
        with GradientTape() as tape:
            tape.watch([inputs[i] for i in places])
            value = f(*inputs)
        if value is None:
            raise ValueError("Cannot differentiate a function that returns None; did you forget to return a value?")
        return value, tape.gradient(value, [inputs[i] for i in places], output_gradients=dy)

    return run


def gradients_function(f: Callable[..., Any], params: Sequence[int | str] | None = None) -> Callable[..., list]:
    """A function that gives the gradients of `f` by its arguments, or by those that `params` names or numbers."""
    run = value_and_gradients_function(f, params)
    return lambda *args, **kwargs: run(*args, **kwargs)[1]


def num_gpus() -> int:
    """How many GPUs there are."""
    return len(list_physical_devices("GPU"))


#: a dataset's iterator was made by a class
Iterator = iter
