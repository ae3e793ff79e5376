"""How much memory a function takes at its peak."""

import tracemalloc
from collections.abc import Callable


def peak_below(limit: int, function: Callable[[], object], tries: int = 3) -> bool:
    """Whether `function` stays below `limit` bytes in one of `tries` equal calls.

    `tracemalloc` also counts what other threads of the process allocate meanwhile. What the function itself
    needs shows in every call; a neighbour's allocation does not.
    """
    return any(_peak(function) < limit for _ in range(tries))


def _peak(function: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
