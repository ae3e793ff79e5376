"""Collectives between the devices of one process: each device calls the op in its own thread, and all wait for the last one.

A *group* is identified by its key and has a size; an *instance* is one collective of a group, identified by a key that
all members pass. Members are ordered by device name. Between processes tensors take another path (`reflow/distribute`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.context import state
from reflow.core.tensor import HostObject
from reflow.core.types import Array
from reflow.ops import shape_rules as rules
from reflow.queues.queues import invalid


class _Instance:
    """One exchange: what each device brought, and what all get."""

    def __init__(self, size: int, kind: str) -> None:
        self.size, self.kind = size, kind
        self.brought: dict[str, Array | None] = {}
        self.result: object = None
        self.error: Exception | None = None
        self.left = size
        self.changed = threading.Condition()


_INSTANCES: dict[tuple[int, int], _Instance] = {}
_LOCK = threading.Lock()


def exchanged(
    kind: str, group: int, instance: int, size: int, value: Array | None, combine: Callable[[list], object], timeout: float
) -> tuple[Any, int]:
    """What `combine` makes of the tensors of all members, and this member's place among them."""
    if size <= 0:
        raise invalid(f"group_size must be positive integer but got {size}")
    with _LOCK:
        key = group, instance
        meeting = _INSTANCES.setdefault(key, _Instance(size, kind))
    device = state.device or f"thread {threading.get_ident()}"
    with meeting.changed:
        if meeting.size != size or meeting.kind != kind:
            raise errors.InternalError(
                None, None, f"Collective {instance} of group {group} is a {meeting.kind} of {meeting.size} devices, called as {kind} of {size}"
            )
        meeting.brought[device] = value
        if len(meeting.brought) == size:
            try:
                meeting.result = combine([meeting.brought[name] for name in sorted(meeting.brought)])
            except errors.OpError as error:
                meeting.error = error
            meeting.changed.notify_all()
        elif not meeting.changed.wait_for(lambda: meeting.result is not None or meeting.error is not None, timeout or None):
            with _LOCK:
                _INSTANCES.pop(key, None)
            raise errors.DeadlineExceededError(None, None, f"Collective has timed out waiting for other workers: {kind} of group {group}")
        meeting.left -= 1
        if not meeting.left:
            with _LOCK:
                _INSTANCES.pop(key, None)
        if meeting.error is not None:
            raise meeting.error
        return meeting.result, sorted(meeting.brought).index(device)


class Communicator(HostObject):
    """A member of a group. Members make the same exchanges in the same order, so that these need no keys: `count` numbers them."""

    tensor_dtype = dtypes.resource

    def __init__(self, group: int, rank: int, size: int, timeout: float) -> None:
        self.group, self.rank, self.size, self.timeout, self.count = group, rank, size, timeout, 0

    def exchange(self, kind: str, value: Array, combine: Callable, assignment: Array, timeout: float):
        if assignment.ndim != 2 or assignment.size != self.size:
            raise invalid(f"group_assignment must be a matrix with {self.size} ranks, got {rules.text(assignment.shape)}")
        row = int(np.argwhere(assignment == self.rank)[0, 0])
        self.count += 1
        # the numbers of these instances are below zero: those of the other ops are not
        group = hash((self.group, row, tuple(assignment[row].tolist())))
        return exchanged(kind, group, -self.count, assignment.shape[1], value, combine, timeout or self.timeout)
