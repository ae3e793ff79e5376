"""Many small variables that a function writes travel as one array: nobody can tell, whatever else happens to them."""

import threading

import numpy as np
import pytest

import reflow as tf
from reflow.compile import buffers, packs
from reflow.core.resources import Piece
from tests.interrupts import storm

COUNT = packs.LEAST + 6


def made(count=COUNT, **options):
    """Variables of several shapes, and a function that adds to all of them; called often enough to be compiled."""
    shapes = [(), (3,), (2, 2), (1, 4)]
    variables = [tf.Variable(np.full(shapes[i % 4], float(i), np.float32), **options) for i in range(count)]

    @tf.function
    def step(delta):
        for v in variables:
            v.assign_add(tf.zeros_like(v) + delta)
        return tf.add_n([tf.reduce_sum(v) for v in variables])

    for _ in range(3):
        step(1.0)
    return variables, step


def packed(variables):
    return [v for v in variables if type(v.handle._value.cell.buf) is Piece]


def check(variables, added):
    for i, v in enumerate(variables):
        np.testing.assert_array_equal(v.numpy(), np.full(v.shape, i + added, np.float32))


def test_many_small_variables_are_packed_and_right():
    variables, step = made()
    assert len(packed(variables)) == COUNT
    check(variables, 3)
    for _ in range(4):
        total = step(1.0)
    check(variables, 7)
    np.testing.assert_allclose(total, sum(v.numpy().sum() for v in variables))


def test_few_or_large_variables_are_not():
    variables, _ = made(packs.LEAST - 1)
    assert not packed(variables)
    large = [tf.Variable(tf.zeros(packs.MAX_ELEMENTS + 1)) for _ in range(COUNT)]

    @tf.function
    def step():
        for v in large:
            v.assign_add(tf.ones_like(v))

    for _ in range(3):
        step()
    assert not packed(large)
    assert all(v.numpy()[-1] == 3 for v in large)


def test_dtypes_travel_apart():
    floats = [tf.Variable(float(i)) for i in range(COUNT)]
    numbers = [tf.Variable(tf.constant(i, tf.int64)) for i in range(COUNT)]
    halves = [tf.Variable(tf.constant(i, tf.bfloat16)) for i in range(3)]

    @tf.function
    def step():
        for v in floats + numbers + halves:
            v.assign_add(tf.ones_like(v))

    for _ in range(4):
        step()
    assert len(packed(floats)) == len(packed(numbers)) == COUNT and not packed(halves)
    for group in (floats, numbers, halves):
        assert [float(v.numpy()) for v in group] == [i + 4.0 for i in range(len(group))]


def test_a_read_keeps_its_value():
    variables, step = made()
    before = [v.read_value() for v in variables]
    arrays = [v.numpy() for v in variables]
    for _ in range(3):
        step(1.0)
    for i, (tensor, array) in enumerate(zip(before, arrays)):
        np.testing.assert_array_equal(tensor, np.full(tensor.shape, i + 3, np.float32))
        np.testing.assert_array_equal(array, tensor)
    check(variables, 6)


def test_an_eager_write_counts_and_the_variable_comes_back():
    variables, step = made()
    for _ in range(3):
        variables[5].assign_sub(tf.ones_like(variables[5]))
        variables[60].assign(tf.zeros_like(variables[60]) + 63.0)
        assert len(packed(variables)) == COUNT - 2
        step(1.0)
        assert len(packed(variables)) == COUNT
        np.testing.assert_array_equal(variables[5].numpy(), np.full(variables[5].shape, 8, np.float32))
        np.testing.assert_array_equal(variables[60].numpy(), np.full(variables[60].shape, 64, np.float32))


def test_other_functions_read_and_write_them():
    variables, step = made()

    @tf.function
    def total():
        return tf.add_n([tf.reduce_sum(v) for v in variables])

    @tf.function
    def half():
        for v in variables[::2]:
            v.assign_add(tf.ones_like(v))
        return tf.reduce_sum(variables[1])

    def sizes(part):
        return sum(v.numpy().size for v in part)

    expected = float(total())
    for _ in range(4):
        for _ in range(3):  # a copy, then device arrays of their own
            assert float(total()) == expected
        step(1.0)
        half()
        expected += sizes(variables) + sizes(variables[::2])
        assert float(total()) == expected


def test_two_functions_with_the_same_variables_share_the_pack():
    variables, step = made()

    @tf.function
    def again(delta):
        for v in variables:
            v.assign_add(tf.zeros_like(v) + delta * 2.0)

    used = []
    for _ in range(4):  # the first call is interpreted: it writes each variable by itself
        again(1.0)
        used += [v.handle._value.cell.buf for v in variables[:1]]
        step(1.0)
        used += [v.handle._value.cell.buf for v in variables[:1]]
    assert len({id(piece.pack) for piece in used[1:]}) == 1
    check(variables, 3 + 4 * 3)


def test_overlapping_sets_stay_apart():
    """Two packs of equal length that share all but one variable."""
    variables = [tf.Variable(float(i)) for i in range(COUNT + 1)]

    def adder(part):
        @tf.function
        def add():
            for v in part:
                v.assign_add(1.0)

        return add

    first, second = adder(variables[:-1]), adder([*variables[:-2], variables[-1]])
    for _ in range(4):
        first()
        second()
    expected = [i + 8.0 for i in range(COUNT - 1)] + [COUNT - 1 + 4.0, COUNT + 4.0]
    assert [float(v.numpy()) for v in variables] == expected


def test_gradients_of_packed_variables():
    variables, step = made()
    with tf.GradientTape() as tape:
        loss = tf.add_n([tf.reduce_sum(v * v) for v in variables])
    for v, g in zip(variables, tape.gradient(loss, variables)):
        np.testing.assert_array_equal(g, 2 * v.numpy())
    step(1.0)
    check(variables, 4)


def test_an_uninitialized_variable_is_named():
    variables, step = made()
    variables[7].handle._value.cell.buf = None
    with pytest.raises(tf.errors.FailedPreconditionError, match="Could not find variable"):
        step(1.0)
    variables[7].assign(
        tf.zeros_like(variables[6]) if variables[6].shape == variables[7].shape else np.full(variables[7].shape, 10.0)
    )
    step(1.0)
    check(variables, 4)


def test_a_lost_pack_is_told():
    variables, step = made()
    variables[0].handle._value.cell.buf.pack.buf.delete()
    with pytest.raises(tf.errors.FailedPreconditionError, match="lost in a failed step"):
        variables[3].numpy()
    with pytest.raises(tf.errors.FailedPreconditionError, match="lost in a failed step"):
        variables[3].assign(tf.zeros_like(variables[3]))
        step(1.0)
    for i, v in enumerate(variables):
        v.assign(np.full(v.shape, i + 3.0))
    step(1.0)
    check(variables, 4)


def test_checkpoint_of_packed_variables(tmp_path):
    variables, step = made()
    checkpoint = tf.train.Checkpoint(variables=variables)
    path = checkpoint.save(str(tmp_path / "saved"))
    step(1.0)
    checkpoint.restore(path)
    check(variables, 3)
    step(1.0)
    check(variables, 4)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a signal may land in a finalizer
def test_interrupts_keep_the_pack(jax_in_32_bits_again):
    variables, step = made()
    one = tf.constant(1.0)
    for _ in range(4):  # in all kinds of arguments
        step(one)

    def check():
        assert len({float(np.ravel(v.numpy())[0]) - i for i, v in enumerate(variables)}) == 1

    assert storm(lambda: step(one), check, count=300, longest=300e-6) > 100


def test_a_reader_in_another_thread_sees_whole_steps():
    variables, step = made()
    one = tf.constant(1.0)
    seen, stop = [], threading.Event()

    def read():
        while not stop.is_set():
            v = variables[1].numpy()
            seen.append(v)

    thread = threading.Thread(target=read)
    thread.start()
    for _ in range(300):
        step(one)
    stop.set()
    thread.join()
    assert all((v == v[0]).all() for v in seen) and all(a[0] <= b[0] for a, b in zip(seen, seen[1:]))
    check(variables, 303)


def test_a_reader_that_settles_a_piece_loses_no_step(monkeypatch):
    """A piece stays the same object when its pack gets new numbers: it is copied and replaced in one go."""
    variables, step = made()
    total = tf.function(lambda: tf.reduce_sum(variables[3]) * 1.0)
    for _ in range(3):
        total()
    step(1.0)
    total()  # the first reader after a step copies the piece, the second settles it
    writer = threading.Thread(target=step, args=(1.0,))
    copy = buffers.device_copy

    def copy_while_somebody_steps(buffer):
        copied = copy(buffer)
        if type(buffer) is Piece and not writer.is_alive():
            writer.start()
            writer.join(1.0)
        return copied

    monkeypatch.setattr(buffers, "device_copy", copy_while_somebody_steps)
    total()
    writer.join()
    check(variables, 5)
