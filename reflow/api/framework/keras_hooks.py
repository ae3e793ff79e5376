"""The hooks that Keras 2 registers with TensorFlow (`tf.__internal__.register_*`), and the modes it asks for.

Some version 1 functions need a part of Keras: which session it uses, how it wraps an optimizer for mixed precision.
Keras 2 registers such functions on import; Keras 3 has none.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from reflow.api.export import export

registered: dict[str, Any] = {}


def _registrar(what: str) -> Callable[[Callable], None]:
    @export(f"__internal__.register_{what}_function")
    def register(func: Callable) -> None:
        registered[what] = func

    register.__name__ = f"register_{what}_function"
    register.__doc__ = "Remember a function of Keras 2; Keras 3 does not use it."
    return register


register_call_context_function = _registrar("call_context")
register_clear_session_function = _registrar("clear_session")
register_get_session_function = _registrar("get_session")
register_load_model_function = _registrar("load_model")


@export("__internal__.tracking.register_session_provider")
def register_session_provider(session_provider: Callable) -> None:
    """Remember which session Keras 2 uses in a graph. The first one stays."""
    registered.setdefault("session_provider", session_provider)


@export("__internal__.mixed_precision.register_loss_scale_wrapper")
def register_loss_scale_wrapper(optimizer_cls: type, wrapper_fn: Callable, wrapper_cls: type | None = None) -> None:
    """Remember how optimizers of a class are wrapped so that they scale the loss."""
    registered.setdefault("loss_scale_wrappers", {})[optimizer_cls] = (wrapper_fn, wrapper_cls or wrapper_fn)


@export("__internal__.train.set_using_mixed_precision_policy")
def set_using_mixed_precision_policy(using: bool) -> None:
    """Note whether a policy of Keras 2 computes in half precision."""
    registered["mixed_precision_policy"] = using


@export("__internal__.train.is_mixed_precision_graph_rewrite_enabled")
def is_mixed_precision_graph_rewrite_enabled() -> bool:
    """Whether a program asked for graphs in half precision (`enable_mixed_precision_graph_rewrite`)."""
    return registered.get("graph_rewrite", False)


@export("__internal__.load_context")
@contextlib.contextmanager
def load_context(load_options: Any) -> Iterator[None]:
    """The options with which a model is being loaded, for the layers in it."""
    before = registered.get("load_options")
    registered["load_options"] = load_options
    try:
        yield
    finally:
        registered["load_options"] = before
