"""`tensorflow.python.ops.collective_ops`: collectives as functions.

The devices of a group call them at the same time.
"""

from reflow.api.raw_ops import raw_ops


def _check_size(group_size, name, least=1):
    if group_size < least:
        raise ValueError(f"Parameter `group_size` to {name} must be at least {least}. Received: {group_size}.")


def _facts(group_size, group_key, instance_key, communication_hint, timeout):
    return {
        "group_size": group_size, "group_key": group_key, "instance_key": instance_key,
        "communication_hint": communication_hint.lower(), "timeout_seconds": timeout,
    }  # fmt: skip


def _tokens(ordering_token):
    return [] if ordering_token is None else [ordering_token]


def all_reduce(
    t, group_size, group_key, instance_key, merge_op="Add", final_op="Id", subdiv_offsets=(0,),
    communication_hint="auto", timeout=0,
):
    """The tensors of all devices, reduced; keys are Python integers."""
    _check_size(group_size, "all_reduce")
    facts = _facts(group_size, group_key, instance_key, communication_hint, timeout)
    return raw_ops.CollectiveReduce(
        input=t, merge_op=merge_op, final_op=final_op, subdiv_offsets=subdiv_offsets, **facts
    )


def all_reduce_v2(
    t, group_size, group_key, instance_key, merge_op="Add", final_op="Id", communication_hint="auto", timeout=0,
    ordering_token=None, max_subdivs_per_device=-1, name=None,
):  # fmt: skip
    """The tensors of all devices, reduced; keys are tensors."""
    return raw_ops.CollectiveReduceV2(
        input=t, merge_op=merge_op, final_op=final_op, ordering_token=_tokens(ordering_token), is_stateless=False,
        max_subdivs_per_device=max_subdivs_per_device, name=name,
        **_facts(group_size, group_key, instance_key, communication_hint, timeout),
    )  # fmt: skip


def all_gather(t, group_size, group_key, instance_key, communication_hint="auto", timeout=0):
    """The tensors of all devices, joined along the first axis; keys are Python integers."""
    _check_size(group_size, "all_gather")
    facts = _facts(group_size, group_key, instance_key, communication_hint, timeout)
    return raw_ops.CollectiveGather(input=t, shape=[0], **facts)


def all_gather_v2(
    t, group_size, group_key, instance_key, communication_hint="auto", timeout=0, ordering_token=None, name=None
):
    """The tensors of all devices, joined along the first axis; keys are tensors."""
    facts = _facts(group_size, group_key, instance_key, communication_hint, timeout)
    return raw_ops.CollectiveGatherV2(
        input=t, ordering_token=_tokens(ordering_token), is_stateless=False, name=name, **facts
    )


def broadcast_send(t, shape, dtype, group_size, group_key, instance_key, communication_hint="auto", timeout=0):
    """Send a tensor to the other devices of a group; returns it."""
    _check_size(group_size, "broadcast_send", 2)
    if t.shape != shape:
        raise ValueError(
            f"Shape of broadcast_send tensor `t` not equal to declared shape. Received {t.shape}, expected {shape}."
        )
    if t.dtype != dtype:
        raise ValueError(
            f"Type of broadcast_send tensor `t` not equal to declared type. Received {t.dtype}, expected {dtype}."
        )
    return raw_ops.CollectiveBcastSend(
        input=t, shape=shape, **_facts(group_size, group_key, instance_key, communication_hint, timeout)
    )


def broadcast_send_v2(t, group_size, group_key, instance_key, communication_hint="auto", timeout=0):
    """Send a tensor to the other devices of a group; keys are tensors."""
    return raw_ops.CollectiveBcastSendV2(
        input=t, **_facts(group_size, group_key, instance_key, communication_hint, timeout)
    )


def broadcast_recv(shape, dtype, group_size, group_key, instance_key, communication_hint="auto", timeout=0):
    """The tensor that a device of the group sends."""
    _check_size(group_size, "broadcast_send", 2)  # TensorFlow's message has this name too
    return raw_ops.CollectiveBcastRecv(
        shape=shape, T=dtype, **_facts(group_size, group_key, instance_key, communication_hint, timeout)
    )


def broadcast_recv_v2(shape, dtype, group_size, group_key, instance_key, communication_hint="auto", timeout=0):
    """The tensor that a device of the group sends; keys are tensors."""
    return raw_ops.CollectiveBcastRecvV2(
        T=dtype, shape=shape, **_facts(group_size, group_key, instance_key, communication_hint, timeout)
    )


def all_to_all_v2(
    t, group_size, group_key, instance_key, communication_hint="auto", timeout=0, ordering_token=None, name=None
):
    """Row i of each device's tensor, for device i."""
    facts = _facts(group_size, group_key, instance_key, communication_hint, timeout)
    return raw_ops.CollectiveAllToAllV2(
        input=t, ordering_token=_tokens(ordering_token), is_stateless=False, name=name, **facts
    )


def assign_group_v2(group_assignment, device_index, base_key):
    """The size and key of the group that a device belongs to: the row of a matrix in which its number is."""
    return raw_ops.CollectiveAssignGroupV2(
        group_assignment=group_assignment, device_index=device_index, base_key=base_key
    )


def initialize_communicator(group_key, rank, group_size, communication_hint="auto", timeout_seconds=0):
    """A handle with which one member of a group takes part in collectives."""
    return raw_ops.CollectiveInitializeCommunicator(
        group_key=group_key, rank=rank, group_size=group_size, communication_hint=communication_hint,
        timeout_seconds=timeout_seconds,
    )


def all_reduce_v3(communicator, t, reduction="Add", group_assignment=None, timeout_seconds=None):
    """The tensors of a communicator's group, or of this member's row of `group_assignment`, reduced."""
    return raw_ops.CollectiveReduceV3(
        communicator=communicator, input=t, group_assignment=group_assignment or [], reduction=reduction,
        timeout_seconds=timeout_seconds or 0,
    )


def all_to_all_v3(communicator, t, group_assignment=None, timeout_seconds=None):
    """Row i of each tensor of a communicator's group, for member i."""
    return raw_ops.CollectiveAllToAllV3(
        communicator=communicator, input=t, group_assignment=group_assignment or [],
        timeout_seconds=timeout_seconds or 0,
    )
