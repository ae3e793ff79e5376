"""Tries another implementation of an `xp` function first."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from reflow.core.types import Array


def first(ours: Callable[..., Array]) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """A decorator: try `ours` first, and call the decorated function if it returns None.

    Both take the same arguments.
    """

    def decorate(general: Callable[..., Array]) -> Callable[..., Array]:
        @functools.wraps(general)
        def choose(*args: Any, **kwargs: Any) -> Array:
            result = ours(*args, **kwargs)
            return general(*args, **kwargs) if result is None else result

        return choose

    return decorate
