"""Collectives between the devices of one process: each device calls the op in its own thread, and all wait for the last
one.

A *group* is identified by its key and has a size; an *instance* is one collective of a group, identified by a key that
all members pass. Members are ordered by device. The first error aborts all collectives until the context is reset, or
in a session until the end of the run: a member that has failed would be waited for forever. Between processes tensors
take another path (`reflow/distribute`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.context import state
from reflow.core.tensor import HostObject
from reflow.core.types import Array
from reflow.devices import placement
from reflow.devices.names import DeviceSpec
from reflow.devices.step import sleepers

#: the kinds of collectives, by TensorFlow's numbers
REDUCE, BROADCAST, GATHER, PERMUTE, ALL_TO_ALL, REDUCE_SCATTER = range(6)


class Call(NamedTuple):
    """What a member says about a collective."""

    kind: int
    group: int
    instance: int
    size: int
    dtype: dtypes.DType
    shape: tuple[int, ...]  # of the result, or of the input if results differ
    timeout: float


def _text(shape: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, shape))}]"


class _Instance:
    """One exchange: what each member brought, and what all get."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.brought: dict[str, Array | None] = {}
        self.result: tuple[list[str], Any] | None = None


class _Group:
    def __init__(self, size: int) -> None:
        self.size, self.members = size, set[str]()


class Meetings:
    """The groups and instances of a process, or of one run of a session."""

    def __init__(self) -> None:
        self.groups: dict[int, _Group] = {}
        self.instances: dict[tuple[int, int], _Instance] = {}
        self.error: errors.OpError | None = None
        self.changed = threading.Condition()
        sleepers.add(self)

    def wake(self) -> None:
        """Let all who wait look again: a session was closed."""
        with self.changed:
            self.changed.notify_all()

    def abort(self, error: Exception) -> None:
        """Let all collectives fail, those that wait and those to come."""
        with self.changed:
            if self.error is None:
                self.error = (
                    error if isinstance(error, errors.OpError) else errors.InternalError(None, None, str(error))
                )
                self.changed.notify_all()

    def exchange(
        self, call: Call, member: str, value: Array | None, combine: Callable[[Call, list], Any]
    ) -> tuple[Any, int]:
        """What `combine` makes of the tensors of all members, and this member's place among them."""
        step = state.step
        if step is not None:
            step.listen(self.abort)
        try:
            with self.changed:
                group, instance = self._join(call, member)
                instance.brought[member] = value
                if len(instance.brought) == call.size:
                    del self.instances[call.group, call.instance]
                    members = sorted(instance.brought, key=_by_number)
                    try:
                        instance.result = members, combine(call, [instance.brought[name] for name in members])
                    except errors.OpError as error:
                        self._fail(type(error), error._message)
                    self.changed.notify_all()
                self._wait(lambda: instance.result is not None, group, call)
                members, result = instance.result  # type: ignore[misc]
                return result, members.index(member)
        except errors.OpError as error:
            self.abort(error)
            raise
        finally:
            if step is not None:
                step.forget(self.abort)

    def _join(self, call: Call, member: str) -> tuple[_Group, _Instance]:
        """Become a member of the group and find the instance; raises if this call does not fit those of others."""
        self._check()
        group = self.groups.setdefault(call.group, _Group(call.size))
        if group.size != call.size:
            self._fail(
                errors.InternalError,
                f"Device {member} is joining a group with size{call.size}, but that group has size {group.size} "
                f"(group_key={call.group})",
            )
        if member not in group.members and len(group.members) == group.size:
            self._fail(
                errors.InternalError,
                f"Device {member} is joining a group that is already full (group_key={call.group})",
            )
        group.members.add(member)
        self.changed.notify_all()
        key = call.group, call.instance
        self._wait(lambda: key not in self.instances or member not in self.instances[key].brought, group, call)
        instance = self.instances.setdefault(key, _Instance(call))
        first = instance.call
        if (first.kind, first.dtype) != (call.kind, call.dtype):
            self._fail(
                errors.InternalError,
                f"Collective instance {call.instance} expected type {first.kind} and data_type {first.dtype.enum} "
                f"but got type {call.kind} and data_type {call.dtype.enum}",
            )
        if first.shape != call.shape:
            self._fail(
                errors.InvalidArgumentError,
                f"Shape mismatch in the collective instance {call.instance}. Op at device {member} expected shape "
                f"{_text(call.shape)} but another member in the group expected shape {_text(first.shape)}. This is "
                "likely due to different input shapes at different members of the collective op.",
            )
        return group, instance

    def _check(self) -> None:
        if self.error is not None:
            hint = "The error could be from a previous operation. Restart your program to reset."
            raise type(self.error)(None, None, f"Collective ops is aborted by: {self.error._message}\n{hint}")

    def _fail(self, kind: type[errors.OpError], text: str) -> None:
        self.abort(kind(None, None, text))
        self._check()

    def _wait(self, arrived: Callable[[], bool], group: _Group, call: Call) -> None:
        """Wait until others have arrived, for the op's time or the step's; the lock is held."""
        own = time.monotonic() + call.timeout if call.timeout else None
        end = min((t for t in (own, state.deadline) if t is not None), default=None)
        while not arrived():
            self._check()
            if getattr(state.session, "cancelled", False):
                raise errors.CancelledError(None, None, "Collective was cancelled")
            left = end and end - time.monotonic()
            if left is not None and left <= 0:
                what = "during execution" if len(group.members) == group.size else "waiting for other workers"
                raise errors.DeadlineExceededError(None, None, f"Collective has timed out {what}.")
            self.changed.wait(left)


_process = Meetings()


def reset() -> None:
    """Forget all groups and the error that aborted them: the context was reset."""
    global _process
    _process = Meetings()


placement.on_reset(reset)


def abort(error: errors.OpError) -> None:
    """Let all collectives outside of sessions fail until the context is reset."""
    _process.abort(error)


def _here() -> Meetings:
    step = state.step
    if step is None or state.session is None:
        return _process
    if step.shared is None:
        step.shared = Meetings()
    found: Meetings = step.shared
    return found


def _by_number(name: str) -> tuple[str, int]:
    """Devices and ranks in their order: CPU:2 comes before CPU:10."""
    kind, _, number = name.rpartition(":")
    return kind, int(number)


def exchanged(
    call: Call, value: Array | None, combine: Callable[[Call, list], Any], member: str = ""
) -> tuple[Any, int]:
    """What `combine` makes of the tensors of all members, and this member's place among them.

    A device, unless it has another name.
    """
    if call.size <= 0:
        raise errors.InvalidArgumentError(None, None, f"group_size must be positive integer but got {call.size}")
    return _here().exchange(call, member or _device(), value, combine)


def _device() -> str:
    spec = DeviceSpec.from_string(state.device)
    if spec.device_type is None:
        return placement.full_name("")
    whole = DeviceSpec(job="localhost", replica=0, task=0, device_index=0).make_merged_spec(spec)
    return whole.to_string()


class Communicator(HostObject):
    """A member of a group. Members make the same exchanges in the same order, so that these need no keys:
    `count` numbers them."""

    tensor_dtype = dtypes.resource

    def __init__(self, group: int, rank: int, size: int, timeout: float) -> None:
        self.group, self.rank, self.size, self.timeout, self.count = group, rank, size, timeout, 0

    def exchange(
        self, kind: int, value: Array, combine: Callable, assignment: Array, timeout: float
    ) -> tuple[Any, int]:
        if not assignment.size:
            assignment = np.arange(self.size)[None]
        if assignment.ndim != 2 or assignment.size != self.size:
            text = f"group_assignment must be a matrix with {self.size} ranks, got {_text(assignment.shape)}"
            raise errors.InvalidArgumentError(None, None, text)
        row = int(np.argwhere(assignment == self.rank)[0, 0])
        self.count += 1
        # the numbers of these instances are below zero: those of the other ops are not
        group = hash((self.group, row, tuple(assignment[row].tolist())))
        call = Call(
            kind, group, -self.count, assignment.shape[1], dtypes.as_dtype(value.dtype), value.shape,
            timeout or self.timeout,
        )
        return exchanged(call, value, combine, f"rank:{self.rank}")
