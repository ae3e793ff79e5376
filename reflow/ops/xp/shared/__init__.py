"""Functions of `xp` that are written once, in terms of others, for several implementations.

A shared function takes its namespace as its first parameter, as a method takes `self`: `def unreduce(xp, g, x, axes,
keepdims)`. Binding makes it a function of a namespace: `xp.unreduce(g, x, axes, keepdims)`. Calling a bound function is
as fast as calling a plain one.

`arrays`, `blocks` and `gradients` read shapes, so they work on arrays (`xp.host`, `xp.xla`). `adjoints` reads none and
also works on tensors of unknown shape (`xp.tensor`).
"""

from types import FunctionType, MethodType, ModuleType

from reflow.ops.xp.shared import adjoints, arrays, blocks, gradients


def bind_to_arrays(namespace: ModuleType) -> None:
    """Adds all shared functions to a namespace of arrays."""
    _bind(namespace, arrays, blocks, gradients, adjoints)


def bind_to_tensors(namespace: ModuleType) -> None:
    """Adds the shared functions that read no shapes to a namespace of tensors."""
    _bind(namespace, adjoints)


def _bind(namespace: ModuleType, *modules: ModuleType) -> None:
    for module in modules:
        for name, function in vars(module).items():
            if isinstance(function, FunctionType) and function.__module__ == module.__name__ and name[0] != "_":
                setattr(namespace, name, MethodType(function, namespace))
