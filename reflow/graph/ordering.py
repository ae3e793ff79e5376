"""Topological sorting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

K = TypeVar("K")


def in_order(needs: Mapping[K, Sequence[K]]) -> list[K]:
    """The keys, each after all that it needs; keys on a cycle, or after one, are omitted.

    >>> in_order({"sum": ["a", "b"], "a": [], "b": ["a"], "loop": ["loop"]})
    ['a', 'b', 'sum']
    """
    users: dict[K, list[K]] = {key: [] for key in needs}
    for key, needed in needs.items():
        for other in needed:
            users[other].append(key)
    waiting = {key: len(needed) for key, needed in needs.items()}
    ready, order = [key for key, count in waiting.items() if not count], []
    while ready:
        order.append(ready.pop())
        for user in users[order[-1]]:
            waiting[user] -= 1
            if not waiting[user]:
                ready.append(user)
    return order
