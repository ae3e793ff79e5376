"""Classes of programs that sessions fetch and feed: how an object of theirs is several tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Expansion(NamedTuple):
    """What a class has registered."""

    kind: type
    fetch: Callable[[Any], tuple[list, Callable[[list], Any]]] | None
    feed: Callable[[Any, Any], list] | None
    feed_in_steps: Callable[[Any], list] | None


#: what programs have registered, the newest first
EXPANSIONS: list[Expansion] = []


def of(value: Any) -> Expansion | None:
    """The newest expansion for an object."""
    return next((expansion for expansion in EXPANSIONS if isinstance(value, expansion.kind)), None)


def register(
    tensor_type: type, fetch_function: Callable | None, feed_function: Callable | None = None,
    feed_function_for_partial_run: Callable | None = None,
) -> None:
    """Let sessions fetch and feed the objects of a class.

    Args:
      tensor_type: the class.
      fetch_function: of an object; returns its tensors, and a function from their values to the fetched value.
      feed_function: of an object and a value fed for it; returns pairs of tensors and values.
      feed_function_for_partial_run: of an object; returns the tensors that a partial run may feed.

    Raises:
      ValueError: the class, or one below it, is registered already.
    """
    if any(issubclass(expansion.kind, tensor_type) for expansion in EXPANSIONS):
        raise ValueError(f"{tensor_type} has already been registered so ignore it.")
    EXPANSIONS.insert(0, Expansion(tensor_type, fetch_function, feed_function, feed_function_for_partial_run))
