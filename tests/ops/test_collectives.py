"""Collectives between the devices of a process, each in a thread of its own. Expected values are worked out by hand."""

import threading

import numpy as np
import pytest

import reflow as tf

raw = tf.raw_ops
A, B = np.array([1.0, 2.0, 3.0, 4.0], np.float32), np.array([10.0, 20.0, 30.0, 40.0], np.float32)


def on_both(first, second=None):
    """What two devices get that call at the same time."""
    out: list = [None, None]

    def run(i, call):
        try:
            with tf.device(f"CPU:{i}"):
                out[i] = call().numpy().tolist()
        except tf.errors.OpError as error:
            out[i] = error

    threads = [threading.Thread(target=run, args=(i, call)) for i, call in enumerate((first, second or first))]
    [thread.start() for thread in threads]
    [thread.join(60) for thread in threads]
    return out


def facts(instance):
    return {"group_size": 2, "group_key": 77, "instance_key": instance}


@pytest.mark.parametrize(
    ("merge", "final", "expected"),
    [("Add", "Id", [11.0, 22.0, 33.0, 44.0]), ("Add", "Div", [5.5, 11.0, 16.5, 22.0]), ("Max", "Id", B.tolist())],
)
def test_sums(merge, final, expected):
    reduce = lambda x: lambda: raw.CollectiveReduceV2(
        input=x, ordering_token=[], merge_op=merge, final_op=final, **facts(1)
    )
    assert on_both(reduce(A), reduce(B)) == [expected, expected]
    older = lambda x: lambda: raw.CollectiveReduce(
        input=x, merge_op=merge, final_op=final, subdiv_offsets=[0], **facts(2)
    )
    assert on_both(older(A), older(B)) == [expected, expected]


def test_parts():
    scatter = lambda x: lambda: raw.CollectiveReduceScatterV2(
        input=x, ordering_token=[], merge_op="Add", final_op="Id", **facts(3)
    )
    assert on_both(scatter(A), scatter(B)) == [[11.0, 22.0], [33.0, 44.0]]
    gather = lambda x: lambda: raw.CollectiveGatherV2(input=x[:1], ordering_token=[], **facts(4))
    assert on_both(gather(A), gather(B)) == [[1.0, 10.0]] * 2
    older = lambda x: lambda: raw.CollectiveGather(input=x[:1], shape=[2], **facts(5))
    assert on_both(older(A), older(B)) == [[1.0, 10.0]] * 2
    deal = lambda x: lambda: raw.CollectiveAllToAllV2(input=x[:2], ordering_token=[], **facts(6))
    assert on_both(deal(A), deal(B)) == [[1.0, 10.0], [2.0, 20.0]]


def test_broadcasts():
    send = lambda: raw.CollectiveBcastSendV2(input=A, **facts(7))
    receive = lambda: raw.CollectiveBcastRecvV2(shape=[4], T=tf.float32, **facts(7))
    assert on_both(send, receive) == [A.tolist()] * 2
    send = lambda: raw.CollectiveBcastSend(input=A, shape=[4], **facts(8))
    receive = lambda: raw.CollectiveBcastRecv(T=tf.float32, shape=[4], **facts(8))
    assert on_both(send, receive) == [A.tolist()] * 2


def test_communicators():
    handles = [raw.CollectiveInitializeCommunicator(group_key=9, rank=rank, group_size=2) for rank in range(2)]
    reduce = lambda i, x: lambda: raw.CollectiveReduceV3(
        input=x, communicator=handles[i], group_assignment=[[0, 1]], reduction="Add"
    )
    assert on_both(reduce(0, A), reduce(1, B)) == [(A + B).tolist()] * 2
    deal = lambda i, x: lambda: raw.CollectiveAllToAllV3(
        input=x[:2], communicator=handles[i], group_assignment=[[0, 1]]
    )
    assert on_both(deal(0, A), deal(1, B)) == [[1.0, 10.0], [2.0, 20.0]]
    alone = lambda i, x: lambda: raw.CollectiveReduceV3(
        input=x, communicator=handles[i], group_assignment=[[0], [1]], reduction="Add"
    )
    assert on_both(alone(0, A), alone(1, B)) == [A.tolist(), B.tolist()]


def test_groups_by_matrix():
    size, key = raw.CollectiveAssignGroupV2(group_assignment=[[0, 1], [2, 3]], device_index=2, base_key=5)
    assert (int(size), int(key)) == (2, 6)
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not found in group_assignment"):
        raw.CollectiveAssignGroupV2(group_assignment=[[0, 1]], device_index=7, base_key=5)


def test_wrong_arguments():
    with pytest.raises(tf.errors.InvalidArgumentError, match="group_size must be positive integer but got 0"):
        raw.CollectiveGatherV2(input=A, ordering_token=[], group_size=0, group_key=1, instance_key=12)
    with pytest.raises(tf.errors.InvalidArgumentError, match="input should have rank > 0, received 0"):
        raw.CollectiveGather(input=1, group_size=1, group_key=1, instance_key=1, shape=[3])
