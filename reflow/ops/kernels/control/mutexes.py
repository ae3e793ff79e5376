"""Mutexes as resources: a step that holds the lock blocks others until the lock's tensor is released."""

from __future__ import annotations

import threading

from reflow.core import dtypes
from reflow.core.resources import shared
from reflow.core.tensor import HostObject
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op


class Mutex(HostObject):
    """The value of a mutex's handle."""

    __slots__ = ("lock", "__weakref__")
    tensor_dtype = dtypes.resource

    def __init__(self) -> None:
        self.lock = threading.Lock()


class MutexLock(HostObject):
    """A lock that is held until it is consumed, or no longer referenced."""

    __slots__ = ("_mutex",)

    def __init__(self, mutex: Mutex) -> None:
        mutex.lock.acquire()
        self._mutex: Mutex | None = mutex

    def release(self) -> None:
        mutex, self._mutex = self._mutex, None
        if mutex is not None:
            mutex.lock.release()

    def __del__(self) -> None:
        self.release()


@op("MutexV2", shape=rules.scalar, grad=NO_GRADIENT, host=True, effect=True)
def mutex(_, container="", shared_name=""):
    return shared(container, shared_name, Mutex)


@op("MutexLock", shape=rules.scalar, grad=NO_GRADIENT, host=True, writes=("mutex",), overlaps=True)
def mutex_lock(_, mutex):
    """Waits for the mutex."""
    return MutexLock(mutex)


@op("ConsumeMutexLock", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, effect=True)
def consume_mutex_lock(_, mutex_lock):
    mutex_lock.release()
    return ()
