"""Functions composed of several ops: as in TensorFlow, each call opens a name scope for its nodes in a graph.

`tf.nn.moments(x, [0])` creates `moments/mean` and so on, a second call `moments_1/mean`. Eager code pays 0.1 µs for the
check.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable

from reflow.api.export import Made
from reflow.core.context import state
from reflow.graph.graph import SymbolicTensor


def _is_unnamed(node) -> bool:
    """Whether a node may take the scope's name. Numbers in [0, 1) are what the op draws, and keep its name."""
    return node._name is None and node.type != "RandomUniform"


def scoped(default: str, result: bool = False) -> Callable[[Made], Made]:
    """Let a function with an argument `name` put its nodes below that name, or below `default`; with `result`, the node
    of its result has the name of the scope itself."""

    def decorate(function):
        parameters = inspect.signature(function).parameters
        names = list(parameters)
        place = names.index("name") if "name" in names else None  # it may be among `**kwargs`
        takes_name = place is not None or any(p.kind is p.VAR_KEYWORD for p in parameters.values())

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            graph = state.graph
            if graph is None:
                return function(*args, **kwargs)
            if place is not None and len(args) > place:
                name, args = args[place], (*args[:place], None, *args[place + 1 :])
            else:
                name, kwargs = kwargs.get("name"), {**kwargs, "name": None} if takes_name else kwargs
            with graph.opened(name or default) as scope:
                out = function(*args, **kwargs)
            if result and isinstance(out, SymbolicTensor) and out._graph is graph and _is_unnamed(out.op):
                out.op._name = scope.removesuffix("/")
            return out

        return wrapper

    return decorate
