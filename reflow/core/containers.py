"""Containers that show the contents of a plain list or dictionary of their own."""

from __future__ import annotations

from typing import Any


class ContainerView:
    """Reads from `_storage`, a list or a dictionary."""

    _storage: Any

    def __getitem__(self, key):
        return self._storage[key]

    def __iter__(self):
        return iter(self._storage)

    def __len__(self):
        return len(self._storage)

    def __contains__(self, value):
        return value in self._storage
