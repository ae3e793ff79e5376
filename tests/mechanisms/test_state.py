"""Variables as donated state: nothing a user holds dies, nothing is half written, whatever interrupts a step."""

import sys
import threading
import time

import numpy as np
import pytest

import reflow as tf
from reflow.compile.runner import plan_of
from tests.interrupts import storm


def _training_step(count=20):
    variables = [tf.Variable(tf.fill([8, 8], float(i))) for i in range(count)]

    @tf.function
    def step(delta):
        for v in variables:
            v.assign_add(tf.fill([8, 8], delta))
        return tf.add_n([tf.reduce_sum(v) for v in variables])

    for _ in range(3):
        step(tf.constant(1.0))
    return variables, step


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a signal may land in a finalizer
def test_interrupt_keeps_model(jax_in_32_bits_again):
    """500 interrupts at random moments: every variable stays readable and all have seen the same number of steps."""
    variables, step = _training_step()
    one = tf.constant(1.0)

    def check():
        assert len({v.numpy()[0, 0] - i for i, v in enumerate(variables)}) == 1

    assert storm(lambda: step(one), check, count=500, longest=400e-6) > 250


def test_held_read_survives_step():
    variables, step = _training_step(2)
    held = variables[0].value()
    tensor = tf.convert_to_tensor(variables[1])
    view = np.asarray(variables[0].value())
    before = [held.numpy().copy(), tensor.numpy().copy(), view.copy()]
    for _ in range(3):
        step(tf.constant(5.0))
    np.testing.assert_array_equal(held.numpy(), before[0])
    np.testing.assert_array_equal(tensor.numpy(), before[1])
    np.testing.assert_array_equal(view, before[2])


def test_two_variables_one_tensor():
    start = tf.ones([4])
    a, b = tf.Variable(start), tf.Variable(start)

    @tf.function
    def step():
        a.assign_add(tf.ones([4]))
        b.assign_sub(tf.ones([4]))
        return a + b

    for _ in range(3):
        step()
    a.assign(b)
    for _ in range(2):
        step()
    np.testing.assert_array_equal(a.numpy(), np.full(4, 0.0))
    np.testing.assert_array_equal(b.numpy(), np.full(4, -4.0))
    np.testing.assert_array_equal(start.numpy(), np.ones(4))


def test_output_assigned_to_variable_is_shared():
    v = tf.Variable(tf.zeros([3]))

    @tf.function
    def step(x):
        v.assign_add(x)
        return v + 0.0

    for _ in range(3):
        out = step(tf.ones([3]))
    v.assign(out)
    step(tf.ones([3]))
    np.testing.assert_array_equal(out.numpy(), np.full(3, 3.0))
    np.testing.assert_array_equal(v.numpy(), np.full(3, 4.0))


def test_reader_thread():
    """A thread that reads variables and calls reading functions beside a donating one sees whole values only."""
    variables, step = _training_step(4)
    total = tf.function(lambda: tf.add_n([v.value() for v in variables]))
    for _ in range(3):
        total()
    errors, stop = [], threading.Event()

    def read():
        while not stop.is_set():
            try:
                assert variables[0].numpy().shape == (8, 8)
                block = total().numpy()
                assert (block == block[0, 0]).all()
            except Exception as error:  # noqa: BLE001
                errors.append(error)
                return

    thread = threading.Thread(target=read)
    thread.start()
    end = time.monotonic() + 1.5
    while time.monotonic() < end and not errors:
        step(tf.constant(1.0))
    stop.set()
    thread.join()
    assert not errors


def test_numpy_argument_mutated_after_call():
    f = tf.function(lambda m, n: tf.matmul(m, n))
    raw = np.empty(64 * 64 * 4 + 64, np.uint8)
    offset = -raw.ctypes.data % 64
    n = raw[offset: offset + 64 * 64 * 4].view(np.float32).reshape(64, 64)
    m = np.eye(64, dtype=np.float32)
    for _ in range(5):
        n[:] = 0
        result = f(m, n)
        n[:] = 7
        assert result.numpy().max() == 0


def test_numpy_views_are_read_only_and_copies_fresh():
    x = tf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(x)[0] = 5.0
    copy = x.numpy()
    copy[0] = 9.0
    assert x.numpy()[0] == 1.0
    source = np.ones(3, np.float32)
    y = tf.constant(source)
    source[:] = 4
    assert y.numpy().tolist() == [1, 1, 1]


def test_failed_assert_keeps_state_and_class():
    v = tf.Variable(1.0)

    @tf.function
    def step(x):
        v.assign_add(1.0)
        tf.debugging.assert_positive(x, message="x must be positive")
        return v * x

    for i in range(3):
        assert step(tf.constant(2.0)).numpy() == 2.0 * (i + 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="x must be positive"):
        step(tf.constant(-1.0))
    assert v.numpy() == 5.0
    assert step(tf.constant(1.0)).numpy() == 6.0


def test_print_before_next_line(capfd):
    @tf.function
    def f(x):
        y = x * 2.0
        tf.print("value", y)
        return y + 1.0

    import sys

    for i in range(4):
        f(tf.constant(float(i)))
        print("after", i, file=sys.stderr, flush=True)
    lines = capfd.readouterr().err.split("\n")
    assert lines[:8] == ["value 0", "after 0", "value 2", "after 1", "value 4", "after 2", "value 6", "after 3"]


def test_bad_token_id_raises_in_function():
    table = tf.Variable(tf.random.stateless_uniform([5, 3], [1, 2]))
    f = tf.function(lambda ids: tf.reduce_sum(tf.gather(table, ids)))
    good = tf.constant([0, 4])
    for _ in range(3):
        f(good)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = 9 is not in \[0, 5\)"):
        f(tf.constant([1, 9]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.gather(table, [-1])


def test_lost_and_missing_values_name_the_variable():
    v = tf.Variable(1.0, name="weights")
    v.handle._value.write(None)
    with pytest.raises(tf.errors.FailedPreconditionError, match="weights"):
        v.numpy()


def _program(step, *args):
    """The only program of a function that has run compiled."""
    (region,) = plan_of(step.get_concrete_function(*args).graph).steps
    (program,) = region.programs.values()
    return program


def test_interrupted_first_call_with_arguments_of_a_new_kind():
    """JAX takes such arguments through Python for good, where a later interrupt could lose the model.

    They are passed in another form.
    """
    variables, step = _training_step(3)
    program, one = _program(step, tf.constant(1.0)), tf.constant(1.0)
    run, kinds = program.call, []

    def call(written, read, args):
        kinds.append(type(args[0]))
        if type(args[0]) is not np.ndarray:
            raise KeyboardInterrupt
        return run(written, read, args)

    program.call = call
    step(one)
    with pytest.raises(KeyboardInterrupt):
        step(one)  # passed for the second time: as a device array
    assert kinds[-1] is not np.ndarray
    step(one)
    assert kinds[-1] is np.ndarray
    assert [float(v.numpy()[0, 0]) for v in variables] == [i + 5.0 for i in range(3)]


def test_interrupted_compilation_is_repeated(monkeypatch):
    from reflow.compile.region import Region

    variables = [tf.Variable(1.0), tf.Variable(2.0)]

    @tf.function
    def step():
        for v in variables:
            v.assign_add(1.0)

    step()
    donate = Region._donate

    def interrupted(*args):
        donate(*args[:1], [], *args[2:])  # JAX has traced and run it; nothing is stored
        raise KeyboardInterrupt

    monkeypatch.setattr(Region, "_donate", staticmethod(interrupted))
    with pytest.raises(KeyboardInterrupt):
        step()
    monkeypatch.setattr(Region, "_donate", staticmethod(donate))
    assert _program(step).call is None
    step()
    assert _program(step).traced
    assert [float(v.numpy()) for v in variables] == [3.0, 4.0]


@pytest.mark.parametrize("compiled", [False, True])
def test_threads_that_add_add_all(compiled):
    """As in TensorFlow, adding to a variable happens at once: eagerly, interpreted and in a program."""
    total, table = tf.Variable(0.0), tf.Variable(tf.zeros([2, 2]))

    def add():
        total.assign_add(1.0)
        table.scatter_add(tf.IndexedSlices([[1.0, 2.0]], [1]))

    in_function = tf.function(add)
    for _ in range(3):
        in_function()
    switching = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        works = [in_function if compiled and n % 2 else add for n in range(4)]
        threads = [threading.Thread(target=lambda w=w: [w() for _ in range(300)]) for w in works]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        sys.setswitchinterval(switching)
    assert total.numpy() == 1203
    assert table.numpy().tolist() == [[0.0, 0.0], [1203.0, 2406.0]]
