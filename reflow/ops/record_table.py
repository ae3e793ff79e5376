"""The table of records, which loads them on demand.

Looking up an op loads the module that registers it; iterating over the table loads all of them. A generated index file
maps ops to modules (`make namespaces`). An op that is not in the index, because it is new, is found by loading all
modules.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

Record = TypeVar("Record")


def _of_all_records(name: str) -> Any:
    """The `dict` method of that name, after all records are loaded."""
    method = getattr(dict, name)

    def complete(self: RecordTable) -> Any:
        self._complete()
        return method(self)

    return complete


class RecordTable(dict[str, Record]):
    """Op name -> record."""

    def __init__(self) -> None:
        super().__init__()
        self.homes: dict[str, str] = {}  # op name -> the module that registered it
        self._makers: dict[str, Any] = {}  # op name -> that module itself
        self._load: Callable[[], None] | None = None
        self._index: Callable[[], dict[str, str]] = dict
        self._loading = threading.RLock()  # other threads wait until all records are there

    def complete_by(self, load: Callable[[], None], index: Callable[[], dict[str, str]] = dict) -> None:
        """Set how to load all the rest, and how to read the index: op name -> module."""
        self._load, self._index = load, index

    def add(self, name: str, record: Record) -> Record:
        """Register a record; each name only once. A module that is imported again, after an interrupt ended its first
        import, starts over.
        """
        home = _imported_now()
        maker = sys.modules.get(home)
        if super().__contains__(name) and (home != self.homes[name] or maker is self._makers[name]):
            raise ValueError(f"Op {name!r} is registered twice.")
        self[name] = record
        self.homes[name], self._makers[name] = home, maker
        return record

    def _load_one(self, name: object) -> None:
        """Import the module that registers an op. This takes no lock: Python's import locks block other threads, and
        detect deadlocks.
        """
        if self._load is not None:
            module = self._index().get(name)  # type: ignore[call-overload]
            if module is not None:
                # it was moved since the index was written: all modules are loaded instead
                with contextlib.suppress(ModuleNotFoundError):
                    importlib.import_module(module)

    def _complete(self) -> None:
        with self._loading:
            load, self._load = self._load, None
            if load is not None:
                try:
                    load()
                except BaseException:  # an interrupt: the next lookup continues
                    self._load = load
                    raise

    def __missing__(self, name: str) -> Record:
        if name not in self:
            raise KeyError(name)
        return self[name]

    def __contains__(self, name: object) -> bool:
        if not super().__contains__(name):
            self._load_one(name)
        if not super().__contains__(name):
            self._complete()
        return super().__contains__(name)

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default

    __iter__ = _of_all_records("__iter__")
    __len__ = _of_all_records("__len__")
    keys, values, items = map(_of_all_records, ("keys", "values", "items"))


def _imported_now() -> str:
    """The module being imported: the nearest frame at module level."""
    frame = sys._getframe(2)
    while frame.f_code.co_name != "<module>" and frame.f_back is not None:
        frame = frame.f_back
    return str(frame.f_globals["__name__"])
