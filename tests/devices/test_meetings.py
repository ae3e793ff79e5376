"""Collectives whose members do not agree, do not come, or are stopped. Messages are those of TensorFlow 2.21."""

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


@pytest.fixture
def fresh():
    """A runtime without groups of devices, also afterwards: an error aborts all collectives until then."""
    reset = tf.__internal__.eager_context._reset_context
    reset()
    yield
    reset()


def text_of(outcome):
    assert isinstance(outcome, tf.errors.OpError)
    return type(outcome).__name__, outcome.message.partition("\n")[0]


def reduced(x, instance, **changed):
    return lambda: raw.CollectiveReduceV2(
        input=x, ordering_token=[], merge_op="Add", final_op="Id", **(facts(instance) | changed)
    )


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    ("first", "second", "kind", "text"),
    [
        (
            reduced(A, 10), reduced(B[:2], 10), "InvalidArgumentError",
            "aborted by: Shape mismatch in the collective instance 10. Op at device ",
        ),
        (reduced(A, 10), reduced(B, 10, group_size=3), "InternalError", "is joining a group with size"),
        (
            reduced(A, 10), reduced(B.astype(np.int32), 10), "InternalError",
            "Collective instance 10 expected type 0 and data_type ",
        ),
        (
            lambda: raw.CollectiveBcastSendV2(input=A, **facts(7)), None, "InternalError",
            "Instance 7 already has source ",
        ),
        (
            lambda: raw.CollectiveBcastRecvV2(shape=[4], T=tf.float32, **facts(7)), None, "InternalError",
            (
                "Instance 7 found no source for broadcast.  This could mean that there were group_size=2 "
                "BcastRecvs but no BcastSend."
            ),
        ),
        (
            lambda: raw.CollectiveAllToAllV2(input=A[:3], ordering_token=[], **facts(6)), None, "InvalidArgumentError",
            "input to all-to-all first dimension size (3) must be the same as the group size (2)",
        ),
    ],
)  # fmt: skip
def test_members_must_agree(first, second, kind, text):
    """An error aborts the collectives of all members, and all later ones. Messages are TensorFlow's."""
    outcomes = [text_of(outcome) for outcome in [*on_both(first, second), *on_both(reduced(A, 20), reduced(B, 20))]]
    assert all(k == kind and "Collective ops is aborted by: " in t and text in t for k, t in outcomes)
    tf.__internal__.eager_context._reset_context()
    assert on_both(reduced(A, 20), reduced(B, 20)) == [(A + B).tolist()] * 2


@pytest.mark.usefixtures("fresh")
def test_timeouts():
    with pytest.raises(tf.errors.DeadlineExceededError, match="^Collective has timed out waiting for other workers."):
        reduced(A, 11, timeout_seconds=0.01)()
    with pytest.raises(
        tf.errors.DeadlineExceededError, match="^Collective ops is aborted by: Collective has timed out waiting"
    ):
        reduced(A, 11, timeout_seconds=0.01)()
    tf.__internal__.eager_context._reset_context()
    on_both(reduced(A, 11), reduced(B, 11))
    with pytest.raises(tf.errors.DeadlineExceededError, match="^Collective has timed out during execution."):
        reduced(A, 11, timeout_seconds=0.01)()


@pytest.mark.usefixtures("fresh")
def test_abort():
    context = tf.__internal__.eager_context.context()
    waiting = threading.Timer(0.05, context.abort_collective_ops, (tf.errors.UNAVAILABLE, "peer down"))
    waiting.start()
    with pytest.raises(
        tf.errors.UnavailableError, match="^Collective ops is aborted by: peer down\nThe error could be from a previous"
    ):
        reduced(A, 1)()
    waiting.join()
    assert text_of(on_both(reduced(A, 1), reduced(B, 1))[0]) == (
        "UnavailableError", "Collective ops is aborted by: peer down"
    )
