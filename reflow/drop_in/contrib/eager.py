"""Gradients in eager code before there were tapes.

`tf.contrib.eager.implicit_gradients`, `gradients_function` and their relatives.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.config import list_physical_devices
from reflow.eager.tape import GradientTape
from reflow.ops.convert import convert_to_tensor


def implicit_value_and_gradients(f: Callable[..., Any]) -> Callable[..., tuple[Any, list[tuple]]]:
    """A function that gives `f`'s result and pairs of gradients and variables, for all trainable variables it read."""

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


def value_and_gradients_function(
    f: Callable[..., Any], params: Sequence[int | str] | None = None
) -> Callable[..., tuple[Any, list]]:
    """A function that gives `f`'s result and gradients by its arguments, or those that `params` names or numbers."""

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


class Iterator:
    """The elements of a dataset, one after the other."""

    def __init__(self, dataset: Any) -> None:
        self._iterator = iter(dataset)

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        return next(self._iterator)

    next = get_next = __next__


class Network:
    """The base of models before Keras' were: layers that `track_layer` remembers, and `call`."""

    def __init__(self, name: str | None = None) -> None:
        self.name = name or type(self).__name__
        self.layers: list[Any] = []

    def track_layer(self, layer: Any) -> Any:
        """Tracks a layer, whose variables then belong to the network; returns it."""
        self.layers.append(layer)
        return layer

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.call(*args, **kwargs)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """The computation of the network."""
        raise NotImplementedError(f"{type(self).__name__} needs a method `call`.")

    variables = property(lambda self: [v for layer in self.layers for v in layer.variables])
    weights = variables
    trainable_variables = property(lambda self: [v for layer in self.layers for v in layer.trainable_variables])
    trainable_weights = trainable_variables

