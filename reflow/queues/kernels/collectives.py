"""Collectives between the devices of one process (`reflow/queues/meetings.py`): sums, gathers, broadcasts, all to all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reflow.core import errors
from reflow.core.types import Array
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op
from reflow.queues.meetings import Communicator, exchanged
from reflow.queues.queues import invalid

_MERGE: dict[str, Callable] = {"Add": np.add, "Mul": np.multiply, "Min": np.minimum, "Max": np.maximum}

# --- reductions of the tensors
# ------------------------------------------------------------------------------------------


def _check_shapes(values: list) -> None:
    if any(v.shape != values[0].shape for v in values):
        raise invalid(f"Shape mismatch in the collective: {', '.join(rules.text(v.shape) for v in values)}")


def _reduced(merge: str, final: str):
    if merge not in _MERGE:
        raise invalid(f"merge_op must be one of {{\"Min\", \"Max\", \"Mul\", \"Add\"}} but got {merge}")

    def combine(values: list) -> Array:
        _check_shapes(values)
        total = values[0]
        for value in values[1:]:
            total = _MERGE[merge](total, value, out=...)
        return np.divide(total, len(values)).astype(total.dtype) if final == "Div" else total

    return combine


def _scattered(merge: str, final: str):
    combine = _reduced(merge, final)

    def parts(values: list) -> list:
        whole = combine(values)
        if not whole.ndim or whole.shape[0] % len(values):
            raise invalid(f"dimension-0 of the input, {rules.text(whole.shape)}, is not a multiple of group_size {len(values)}")
        return np.split(whole, len(values))

    return parts


def _dealt(values: list) -> list:
    """Row i of each member's tensor, for member i."""
    _check_shapes(values)
    if not values[0].ndim or values[0].shape[0] % len(values):
        raise invalid(f"input to all-to-all first dimension size must be the same as the group size: {rules.text(values[0].shape)}")
    split = [np.split(v, len(values)) for v in values]
    return [np.concatenate([row[i] for row in split]) for i in range(len(values))]


def _sent(values: list) -> Array:
    found = [v for v in values if v is not None]
    if len(found) != 1:
        raise errors.InternalError(None, None, f"A broadcast has one sender; there were {len(found)}")
    return found[0]


# --- ops ----------------------------------------------------------------------------------------------------------------


def _unknown(f):
    return [None]


def _collective(name: str, shape=_unknown, **facts):
    return op(name, shape=shape, grad=NO_GRADIENT, host=True, overlaps=True, **({"effect": True} | facts))


@_collective("CollectiveReduce", rules.same)
def collective_reduce(_, input, group_size, group_key, instance_key, merge_op, final_op, timeout_seconds=0.0):
    return exchanged("reduce", group_key, instance_key, group_size, input, _reduced(merge_op, final_op), timeout_seconds)[0]


@_collective("CollectiveReduceV2", lambda f: f.shapes[:1], writes=("ordering_token",))
def collective_reduce_v2(
    _, input, group_size, group_key, instance_key, ordering_token, merge_op, final_op, timeout_seconds=0.0
):
    numbers = int(group_key), int(instance_key), int(group_size)
    return exchanged("reduce", *numbers, input, _reduced(merge_op, final_op), timeout_seconds)[0]


@_collective("CollectiveReduceScatterV2", writes=("ordering_token",))
def collective_reduce_scatter(
    _, input, group_size, group_key, instance_key, ordering_token, merge_op, final_op, timeout_seconds=0.0
):
    numbers = int(group_key), int(instance_key), int(group_size)
    parts, place = exchanged("reduce and scatter", *numbers, input, _scattered(merge_op, final_op), timeout_seconds)
    return parts[place]


@_collective("CollectiveGather")
def collective_gather(_, input, group_size, group_key, instance_key, timeout_seconds=0.0):
    return exchanged("gather", group_key, instance_key, group_size, input, np.concatenate, timeout_seconds)[0]


@_collective("CollectiveGatherV2", writes=("ordering_token",))
def collective_gather_v2(_, input, group_size, group_key, instance_key, ordering_token, timeout_seconds=0.0):
    numbers = int(group_key), int(instance_key), int(group_size)
    return exchanged("gather", *numbers, input, np.concatenate, timeout_seconds)[0]


@_collective("CollectiveAllToAllV2", lambda f: f.shapes[:1], writes=("ordering_token",))
def collective_all_to_all(_, input, group_size, group_key, instance_key, ordering_token, timeout_seconds=0.0):
    numbers = int(group_key), int(instance_key), int(group_size)
    parts, place = exchanged("all to all", *numbers, input, _dealt, timeout_seconds)
    return parts[place]


@_collective("CollectiveBcastSend", rules.same)
def collective_send(_, input, group_size, group_key, instance_key, timeout_seconds=0.0):
    return exchanged("broadcast", group_key, instance_key, group_size, input, _sent, timeout_seconds)[0]


@_collective("CollectiveBcastSendV2", lambda f: f.shapes[:1])
def collective_send_v2(_, input, group_size, group_key, instance_key, timeout_seconds=0.0):
    numbers = int(group_key), int(instance_key), int(group_size)
    return exchanged("broadcast", *numbers, input, _sent, timeout_seconds)[0]


@_collective("CollectiveBcastRecv", lambda f: [f.attrs["shape"]])
def collective_receive(_, T, group_size, group_key, instance_key, shape, timeout_seconds=0.0):
    return _received(exchanged("broadcast", group_key, instance_key, group_size, None, _sent, timeout_seconds)[0], T, shape)


@_collective("CollectiveBcastRecvV2", lambda f: [f.values[3] if isinstance(f.values[3], tuple) else None])
def collective_receive_v2(_, group_size, group_key, instance_key, shape, T, timeout_seconds=0.0):
    numbers = int(group_key), int(instance_key), int(group_size)
    return _received(exchanged("broadcast", *numbers, None, _sent, timeout_seconds)[0], T, shape.tolist())


def _received(value, dtype, shape) -> Array:
    if value.shape != tuple(shape) or value.dtype != dtype.np_dtype:
        raise errors.InternalError(
            None, None,
            f"Expected a {dtype.name} tensor of shape {rules.text(tuple(shape))}, the sender has {value.dtype} {rules.text(value.shape)}",
        )
    return value


# --- groups by communicators --------------------------------------------------------------------------------------------


@op("CollectiveInitializeCommunicator", shape=rules.scalar, grad=NO_GRADIENT, host=True, effect=True)
def collective_communicator(_, group_key, rank, group_size, timeout_seconds=0.0):
    return Communicator(int(group_key), int(rank), int(group_size), timeout_seconds)


@_collective("CollectiveReduceV3", lambda f: f.shapes[:1], writes=("communicator",))
def collective_reduce_v3(_, input, communicator, group_assignment, reduction, timeout_seconds=0.0):
    return communicator.exchange("reduce", input, _reduced(reduction, "Id"), group_assignment, timeout_seconds)[0]


@_collective("CollectiveAllToAllV3", lambda f: f.shapes[:1], writes=("communicator",))
def collective_all_to_all_v3(_, input, communicator, group_assignment, timeout_seconds=0.0):
    parts, place = communicator.exchange("all to all", input, _dealt, group_assignment, timeout_seconds)
    return parts[place]


@op("CollectiveAssignGroupV2", shape=lambda f: [(), ()], grad=NO_GRADIENT, host=True, effect=True)
def collective_assign_group(_, group_assignment, device_index, base_key):
    """The size and key of the group that a device belongs to: the row of the matrix in which its number stands."""
    found = np.argwhere(group_assignment == device_index)
    if not len(found):
        raise invalid(f"device_index {device_index} is not found in group_assignment {group_assignment.tolist()}")
    row = int(found[0, 0])
    return np.asarray(group_assignment.shape[1], np.int32), np.asarray(int(base_key) + row, np.int32)
