"""Collectives between the devices of one process (`reflow/devices/meetings.py`).

Sums, gathers, broadcasts, all to all.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.context import state
from reflow.core.types import Array
from reflow.devices.meetings import ALL_TO_ALL, BROADCAST, GATHER, REDUCE, REDUCE_SCATTER, Call, Communicator, exchanged
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.trace_words import rank_at_least
from reflow.queues.queues import invalid

_MERGE: dict[str, Callable] = {"Add": np.add, "Mul": np.multiply, "Min": np.minimum, "Max": np.maximum}

# --- reductions of the tensors
# ------------------------------------------------------------------------------------------


def _reduced(merge: str, final: str):
    if merge not in _MERGE:
        raise invalid(f"merge_op must be one of {{\"Min\", \"Max\", \"Mul\", \"Add\"}} but got {merge}")

    def combine(_: Call, values: list) -> Array:
        total = values[0]
        for value in values[1:]:
            total = _MERGE[merge](total, value, out=...)
        return np.divide(total, len(values)).astype(total.dtype) if final == "Div" else total

    return combine


def _scattered(merge: str, final: str):
    combine = _reduced(merge, final)

    def parts(call: Call, values: list) -> list:
        whole = combine(call, values)
        if not whole.ndim or whole.shape[0] % len(values):
            raise invalid(
                f"dimension-0 of the input, {rules.text(whole.shape)}, is not a multiple of group_size {len(values)}"
            )
        return np.split(whole, len(values))

    return parts


def _joined(_: Call, values: list) -> Array:
    return np.concatenate(values)


def _dealt(call: Call, values: list) -> list:
    """Row i of each member's tensor, for member i."""
    rows = call.shape[0] if call.shape else 0
    if rows != call.size:
        raise invalid(
            f"input to all-to-all first dimension size ({rows}) must be the same as the group size ({call.size})"
        )
    return [np.stack([v[i] for v in values]) for i in range(call.size)]


def _sent(call: Call, values: list) -> Array:
    senders = [i for i, v in enumerate(values) if v is not None]
    if not senders:
        why = f"This could mean that there were group_size={call.size} BcastRecvs but no BcastSend."
        raise errors.InternalError(None, None, f"Instance {call.instance} found no source for broadcast.  {why}")
    if len(senders) > 1:
        text = f"Instance {call.instance} already has source {senders[0]}, received second claim from {senders[1]}"
        raise errors.InternalError(None, None, text)
    found: Array = values[senders[0]]
    return found


# --- ops --------------------------------------------------------------------------------------------------------------


def _collective(name: str, shape=rules.same, **facts):
    return op(name, shape=shape, grad=NO_GRADIENT, host=True, overlaps=True, meets=True, **({"effect": True} | facts))


def _call(kind: int, input: Array, group_size, group_key, instance_key, timeout: float) -> Call:
    return Call(
        kind, int(group_key), int(instance_key), int(group_size), dtypes.as_dtype(input.dtype), input.shape, timeout
    )


def _is_joinable(f):
    if state.graph is not None:  # in eager code the kernel objects, in its own words
        rank_at_least(f.shapes[0], 1)


def _gathered_shape(f):
    dims = f.shapes[0]
    if not dims:
        return [None]
    size = f.attrs.get("group_size")  # an attribute of the first version only
    return [(None if size is None or dims[0] is None else dims[0] * size, *dims[1:])]


def _of_input(f):
    return f.shapes[:1]


@_collective("CollectiveReduce")
def collective_reduce(_, input, group_size, group_key, instance_key, merge_op, final_op, timeout_seconds=0.0):
    call = _call(REDUCE, input, group_size, group_key, instance_key, timeout_seconds)
    return exchanged(call, input, _reduced(merge_op, final_op))[0]


@_collective("CollectiveReduceV2", _of_input, writes=("ordering_token",))
def collective_reduce_v2(
    _, input, group_size, group_key, instance_key, ordering_token, merge_op, final_op, timeout_seconds=0.0
):
    return collective_reduce.kernel(_, input, group_size, group_key, instance_key, merge_op, final_op, timeout_seconds)


@_collective("CollectiveReduceScatterV2", rules.unknown, writes=("ordering_token",))
def collective_reduce_scatter(
    _, input, group_size, group_key, instance_key, ordering_token, merge_op, final_op, timeout_seconds=0.0
):
    call = _call(REDUCE_SCATTER, input, group_size, group_key, instance_key, timeout_seconds)
    parts, place = exchanged(call, input, _scattered(merge_op, final_op))
    return parts[place]


@_collective("CollectiveGather", _gathered_shape, trace_check=_is_joinable)
def collective_gather(_, input, group_size, group_key, instance_key, timeout_seconds=0.0):
    if not input.ndim:
        raise invalid("input should have rank > 0, received 0")
    call = _call(GATHER, input, group_size, group_key, instance_key, timeout_seconds)
    return exchanged(call._replace(shape=(input.shape[0] * call.size, *input.shape[1:])), input, _joined)[0]


@_collective("CollectiveGatherV2", _gathered_shape, trace_check=_is_joinable, writes=("ordering_token",))
def collective_gather_v2(_, input, group_size, group_key, instance_key, ordering_token, timeout_seconds=0.0):
    return collective_gather.kernel(_, input, group_size, group_key, instance_key, timeout_seconds)


@_collective("CollectiveAllToAllV2", _of_input, writes=("ordering_token",))
def collective_all_to_all(_, input, group_size, group_key, instance_key, ordering_token, timeout_seconds=0.0):
    call = _call(ALL_TO_ALL, input, group_size, group_key, instance_key, timeout_seconds)
    parts, place = exchanged(call, input, _dealt)
    return parts[place]


@_collective("CollectiveBcastSend")
def collective_send(_, input, group_size, group_key, instance_key, timeout_seconds=0.0):
    return exchanged(_call(BROADCAST, input, group_size, group_key, instance_key, timeout_seconds), input, _sent)[0]


@_collective("CollectiveBcastSendV2", _of_input)
def collective_send_v2(_, input, group_size, group_key, instance_key, timeout_seconds=0.0):
    return collective_send.kernel(_, input, group_size, group_key, instance_key, timeout_seconds)


@_collective("CollectiveBcastRecv", lambda f: [f.attrs["shape"]])
def collective_receive(_, T, group_size, group_key, instance_key, shape, timeout_seconds=0.0):
    call = Call(BROADCAST, int(group_key), int(instance_key), int(group_size), T, tuple(shape), timeout_seconds)
    return exchanged(call, None, _sent)[0]


@_collective("CollectiveBcastRecvV2", lambda f: [f.values[3] if isinstance(f.values[3], tuple) else None])
def collective_receive_v2(_, group_size, group_key, instance_key, shape, T, timeout_seconds=0.0):
    return collective_receive.kernel(_, T, group_size, group_key, instance_key, shape.tolist(), timeout_seconds)


# --- groups by communicators ------------------------------------------------------------------------------------------


@op("CollectiveInitializeCommunicator", shape=rules.scalar, grad=NO_GRADIENT, host=True, effect=True)
def collective_communicator(_, group_key, rank, group_size, timeout_seconds=0.0):
    return Communicator(int(group_key), int(rank), int(group_size), timeout_seconds)


@_collective("CollectiveReduceV3", _of_input, writes=("communicator",))
def collective_reduce_v3(_, input, communicator, group_assignment, reduction, timeout_seconds=0.0):
    return communicator.exchange(REDUCE, input, _reduced(reduction, "Id"), group_assignment, timeout_seconds)[0]


@_collective("CollectiveAllToAllV3", _of_input, writes=("communicator",))
def collective_all_to_all_v3(_, input, communicator, group_assignment, timeout_seconds=0.0):
    parts, place = communicator.exchange(ALL_TO_ALL, input, _dealt, group_assignment, timeout_seconds)
    return parts[place]


@op("CollectiveAssignGroupV2", shape=lambda f: [(), ()], grad=NO_GRADIENT, host=True, effect=True)
def collective_assign_group(_, group_assignment, device_index, base_key):
    """The size and key of the group that a device belongs to: the row of the matrix in which its number stands."""
    found = np.argwhere(group_assignment == device_index)
    if not len(found):
        raise invalid(f"device_index {device_index} is not found in group_assignment {group_assignment.tolist()}")
    row = int(found[0, 0])
    return np.asarray(group_assignment.shape[1], np.int32), np.asarray(int(base_key) + row, np.int32)
