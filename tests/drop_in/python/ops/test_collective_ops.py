"""`tensorflow.python.ops.collective_ops`. Results and messages are those of TensorFlow 2.21."""

import pytest

import reflow as tf
from reflow.drop_in.python.ops import collective_ops


@pytest.fixture(autouse=True)
def fresh():
    """A runtime without groups of devices."""
    tf.__internal__.eager_context._reset_context()


def on_both(first, second):
    @tf.function
    def run():
        with tf.device("CPU:0"):
            a = first()
        with tf.device("CPU:1"):
            return a, second()

    return [t.numpy().tolist() for t in run()]


def test_functions():
    a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    c = collective_ops
    assert (
        on_both(lambda: c.all_reduce(a, 2, 1, 1, "Add", "Div"), lambda: c.all_reduce(b, 2, 1, 1, "Add", "Div"))
        == [[2.0, 3.0]] * 2
    )
    assert (
        on_both(lambda: c.all_reduce_v2(a, 2, 1, 2, "Mul"), lambda: c.all_reduce_v2(b, 2, 1, 2, "Mul"))
        == [[3.0, 8.0]] * 2
    )
    for gather in (c.all_gather, c.all_gather_v2):
        assert on_both(lambda g=gather: g(a, 2, 1, 3), lambda g=gather: g(b, 2, 1, 3)) == [[1.0, 2.0, 3.0, 4.0]] * 2
    assert on_both(lambda: c.all_to_all_v2(a, 2, 1, 4), lambda: c.all_to_all_v2(b, 2, 1, 4)) == [[1.0, 3.0], [2.0, 4.0]]
    assert (
        on_both(lambda: c.broadcast_send(a, [2], a.dtype, 2, 1, 5), lambda: c.broadcast_recv([2], a.dtype, 2, 1, 5))
        == [[1.0, 2.0]] * 2
    )
    assert (
        on_both(lambda: c.broadcast_send_v2(b, 2, 1, 6), lambda: c.broadcast_recv_v2([2], b.dtype, 2, 1, 6))
        == [[3.0, 4.0]] * 2
    )


def test_communicators():
    def reduced(rank):
        communicator = collective_ops.initialize_communicator(7, rank, 2)
        return collective_ops.all_reduce_v3(communicator, tf.constant([1.0, 2.0]) + rank)

    def dealt(rank):
        communicator = collective_ops.initialize_communicator(8, rank, 2)
        return collective_ops.all_to_all_v3(communicator, tf.constant([1.0, 2.0]) + rank)

    assert on_both(lambda: reduced(0), lambda: reduced(1)) == [[3.0, 5.0]] * 2
    assert on_both(lambda: dealt(0), lambda: dealt(1)) == [[1.0, 2.0], [2.0, 3.0]]
    assert [int(t) for t in collective_ops.assign_group_v2([[0, 1], [2, 3]], 3, 10)] == [2, 11]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda t: collective_ops.all_reduce(t, 0, 1, 1),
            "Parameter `group_size` to all_reduce must be at least 1. Received: 0.",
        ),
        (
            lambda t: collective_ops.all_gather(t, 0, 1, 1),
            "Parameter `group_size` to all_gather must be at least 1. Received: 0.",
        ),
        (
            lambda t: collective_ops.broadcast_recv([2], tf.float32, 1, 1, 1),
            "Parameter `group_size` to broadcast_send must be at least 2. Received: 1.",
        ),
        (
            lambda t: collective_ops.broadcast_send(t, [3], tf.float32, 2, 1, 1),
            "Shape of broadcast_send tensor `t` not equal to declared shape. Received (2,), expected [3].",
        ),
        (
            lambda t: collective_ops.broadcast_send(t, [2], tf.int32, 2, 1, 1),
            (
                "Type of broadcast_send tensor `t` not equal to declared type. Received <dtype: 'float32'>, "
                "expected <dtype: 'int32'>."
            ),
        ),
    ],
)
def test_refusals(call, text):
    with pytest.raises(ValueError) as caught:
        call(tf.constant([1.0, 2.0]))
    assert str(caught.value) == text
