"""Containers that present the contents of an inner list or dictionary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class ContainerView:
    """Reads from `_storage`, a list or a dictionary."""

    _storage: Any

    def __getitem__(self, key: Any) -> Any:
        return self._storage[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._storage)

    def __len__(self) -> int:
        return len(self._storage)

    def __contains__(self, value: object) -> bool:
        return value in self._storage
