"""Tries another implementation of an `xp` function first."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from reflow.core.types import Array


def first(ours: Callable[..., Array]) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """A decorator: try `ours` first, and call the decorated function if it returns None.

    Both take the same arguments. The result has the signature of `ours`: the decorated function need not name arguments
    that it only passes on.
    """

    def decorate(general: Callable[..., Array]) -> Callable[..., Array]:
        def choose(*args: Any, **kwargs: Any) -> Array:
            result = ours(*args, **kwargs)
            return general(*args, **kwargs) if result is None else result

        functools.update_wrapper(choose, general).__wrapped__ = ours
        return choose

    return decorate
