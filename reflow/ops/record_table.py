"""The table of records, which knows how to complete itself.

`import reflow` loads the kernels that every program needs. Whoever asks for an op that is not there, or for all ops, makes the table
load the others first.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

Record = TypeVar("Record")


class RecordTable(dict[str, Record]):
    """Op name -> record."""

    def __init__(self) -> None:
        super().__init__()
        self._load: Callable[[], None] | None = None
        self._loading = threading.RLock()  # another thread waits until all records are there

    def complete_by(self, load: Callable[[], None]) -> None:
        """Say how to load the rest."""
        self._load = load

    def add(self, name: str, record: Record) -> Record:
        """Register a record; a name is taken once."""
        if super().__contains__(name):
            raise ValueError(f"Op {name!r} is registered twice.")
        self[name] = record
        return record

    def _complete(self) -> None:
        with self._loading:
            load, self._load = self._load, None
            if load is not None:
                load()

    def __missing__(self, name: str) -> Record:
        self._complete()
        if not super().__contains__(name):
            raise KeyError(name)
        return self[name]

    def __contains__(self, name: object) -> bool:
        if not super().__contains__(name):
            self._complete()
        return super().__contains__(name)

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default

    def __iter__(self) -> Iterator[str]:
        self._complete()
        return super().__iter__()

    def __len__(self) -> int:
        self._complete()
        return super().__len__()

    def keys(self) -> Any:
        self._complete()
        return super().keys()

    def values(self) -> Any:
        self._complete()
        return super().values()

    def items(self) -> Any:
        self._complete()
        return super().items()
