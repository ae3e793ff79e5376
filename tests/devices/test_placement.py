"""Placement: which device an op runs on, and what follows from it.

Where there is no GPU, further CPU devices of JAX play the part: `device_settings.driver` is the seam. Everything above
it is what runs on a real GPU (docs/gpu.md has the output of one). Names and log lines were seen in TensorFlow 2.21 with
two logical CPUs.
"""

import threading

import jax
import numpy as np
import pytest

import reflow as tf
from reflow.core.context import state
from reflow.devices import placement as devices
from reflow.devices.cuda import Cuda, fraction, visible

LOCAL = "/job:localhost/replica:0/task:0/device:"
CPU0, GPU0, GPU1 = LOCAL + "CPU:0", LOCAL + "GPU:0", LOCAL + "GPU:1"


@pytest.fixture
def two(machine):
    return machine(2)


def where(tensor):
    """The JAX device of a tensor's memory: 0 is the host."""
    return 0 if isinstance(tensor._value, np.ndarray) else tensor._value.device.id


def log_of(capsys):
    return [line.removeprefix("Executing op ").replace(" in device " + LOCAL, " ")
            for line in capsys.readouterr().err.splitlines() if line.startswith("Executing op")]


A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
B = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


# --- defaults ---------------------------------------------------------------------------------------------------------


def test_ops_go_to_the_first_gpu(two):
    a, b = tf.constant(A), tf.constant(B)
    assert (a.device, b.backing_device) == (CPU0, CPU0)
    c = tf.matmul(a, b)
    assert (c.device, c.backing_device, where(c)) == (GPU0, GPU0, 1)
    np.testing.assert_array_equal(c.numpy(), [[22.0, 28.0], [49.0, 64.0]])
    assert a.device == CPU0 and isinstance(a._value, np.ndarray)  # the input was copied, it did not move


@pytest.mark.parametrize("function", [
    lambda x: x + 1.0, lambda x: -x, lambda x: x * x, tf.tanh, tf.nn.relu, tf.reduce_sum, lambda x: x[0],
    lambda x: x[:, 1:], lambda x: tf.concat([x, x], 0), lambda x: tf.reshape(x, [-1]), lambda x: tf.cast(x, tf.float64),
    tf.transpose, tf.square, lambda x: tf.reduce_mean(x, axis=1), lambda x: tf.nn.softmax(x),
    lambda x: tf.gather(x, [1, 0]), lambda x: x > 2.0, lambda x: tf.where(x > 2.0, x, 0.0), lambda x: tf.argmax(x, 1),
    lambda x: tf.one_hot([0, 1], 3) + x, tf.zeros_like, lambda x: tf.tile(x, [2, 1]), lambda x: tf.stack([x, x]),
    lambda x: tf.split(x, 3, 1)[2], lambda x: tf.einsum("ij,kj->ik", x, x), lambda x: tf.pad(x, [[1, 0], [0, 1]]),
    lambda x: x[::-1, ::2], lambda x: tf.linalg.norm(x), lambda x: tf.cumsum(x, 1), lambda x: tf.stack([x, x, x]),
    lambda x: tf.clip_by_value(x, 2.0, 4.0),
    lambda x: tf.sort(x, direction="DESCENDING"), lambda x: x[..., tf.newaxis]])
def test_results_are_those_of_the_host(two, function):
    result = function(tf.constant(A))
    assert (result.device, where(result)) == (GPU0, 1)
    with tf.device("/CPU:0"):
        expected = function(tf.constant(A))
    assert (expected.device, where(expected)) == (CPU0, 0)
    assert result.dtype is expected.dtype
    np.testing.assert_allclose(result.numpy(), expected.numpy(), rtol=1e-6)


def test_integers_stay_in_host_memory(two):
    """As in TensorFlow: the op counts as the GPU's, its int32 results are in host memory."""
    n = tf.constant([1, 2]) + 3
    assert (n.device, n.backing_device) == (GPU0, CPU0) and isinstance(n._value, np.ndarray)
    s = tf.shape(tf.tanh(tf.constant(A)))
    assert (s.device, s.backing_device) == (GPU0, CPU0)
    assert tf.range(3).backing_device == CPU0 and tf.range(3.0).backing_device == GPU0
    assert where(tf.cast(n, tf.float32)) == 1
    assert where(tf.constant([1, 2], tf.int64) + 3) == 1


def test_what_a_gpu_cannot_do_runs_on_the_host(two):
    x = tf.tanh(tf.constant([1.0, -2.0]))
    text = tf.strings.as_string(x)
    assert (text.device, x.device) == (CPU0, GPU0)
    assert tf.constant("a").device == CPU0
    places = tf.where(x > 0.0)  # its shape depends on the data
    assert places.device == CPU0 and places.numpy().tolist() == [[0]]
    y = tf.py_function(lambda v: v * 2.0, [x], tf.float32)
    np.testing.assert_allclose(y.numpy(), 2 * np.tanh([1.0, -2.0]), rtol=1e-6)


def test_random_numbers_do_not_depend_on_the_device(two):
    tf.random.set_seed(3)
    there = tf.random.normal([4])
    tf.random.set_seed(3)
    with tf.device("/CPU:0"):
        here = tf.random.normal([4])
    assert (there.device, here.device) == (GPU0, CPU0)
    np.testing.assert_allclose(there.numpy(), here.numpy(), rtol=1e-6)


def test_checks_of_values_still_raise(two):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 7 is not in \[0, 2\)"):
        tf.gather(tf.tanh(tf.constant(A)), [7])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible"):
        tf.matmul(tf.constant(A), tf.constant(A))
    with pytest.raises(tf.errors.InvalidArgumentError, match="was expected to be a float tensor but is a double"):
        tf.raw_ops.AddV2(x=tf.constant(1.0), y=tf.constant(1.0, tf.float64))
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice index 5 of dimension 0 out of bounds"):
        tf.constant(A)[5]


def test_programs_on_a_gpu_look_at_no_labels(two):
    @tf.function
    def loss(logits, labels):
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)

    logits, labels = tf.zeros([2, 3]), tf.constant([1, 7])
    np.testing.assert_allclose(loss(logits, labels), [np.log(3), np.nan], rtol=1e-6)
    with tf.device("/CPU:0"), pytest.raises(tf.errors.InvalidArgumentError, match="Received a label value of 7"):
        loss(logits, labels)


def test_a_slice_in_a_loop_is_one_program(two):
    from reflow.eager import accelerator

    x = tf.tanh(tf.range(12.0))
    x[0], x[1:3]  # noqa: B018 - compiled here
    before = len(accelerator._programs)
    for i in range(1, 9):
        np.testing.assert_allclose(x[i].numpy(), np.tanh(np.float32(i)), rtol=1e-6)
        assert x[i:i + 2].shape == (2,)
    assert len(accelerator._programs) == before


def test_keras_computes_initial_values_on_the_host(two):
    from reflow.eager import accelerator

    before = len(accelerator._programs)
    layer = tf.keras.layers.LSTM(8)
    layer.build([None, 3, 5])
    assert len(accelerator._programs) == before
    assert {(w.value.device, w.value.handle._value.place.device.id) for w in layer.weights} == {(GPU0, 1)}
    q = layer.cell.recurrent_kernel.numpy()
    np.testing.assert_allclose(q @ q.T, np.eye(8), atol=1e-5)


# --- scopes -----------------------------------------------------------------------------------------------------------


def test_scopes(two):
    with tf.device("/GPU:1"):
        a, b = tf.constant(A), tf.constant(B)
        c = a @ b
        assert [t.device for t in (a, b, c)] == [GPU1] * 3 and {where(a), where(b), where(c)} == {2}
        n = tf.constant([1, 2])
        assert (n.device, n.backing_device) == (GPU1, CPU0)
        with tf.device("/CPU:0"):
            d = c * 2.0
            assert (d.device, where(d)) == (CPU0, 0)
        with tf.device(None):
            assert (c * 2.0).device == GPU0
        assert tf.identity(d).device == GPU1
    mixed = c + tf.identity(d)  # GPU:1 and GPU:0, on GPU:0
    assert (mixed.device, where(mixed)) == (GPU0, 1)
    np.testing.assert_array_equal(mixed.numpy(), 3 * np.array([[22.0, 28.0], [49.0, 64.0]]))


def test_copies(two):
    x = tf.constant([1.0, 2.0])
    y = x.gpu()
    assert (x.device, y.device, y.gpu(1).device, y.cpu().device) == (CPU0, GPU0, GPU1, CPU0)
    assert [where(t) for t in (x, y, y.gpu(1), y.cpu())] == [0, 1, 2, 0]
    with tf.device("/GPU:1"):
        z = tf.identity(x)
    assert (z.device, where(z)) == (GPU1, 2)
    with pytest.raises(RuntimeError, match="GPU:5 unknown device."):
        x.gpu(5)


def test_soft_placement_takes_the_nearest_device(two):
    with tf.device("/GPU:7"):
        assert tf.matmul(tf.constant(A), tf.constant(B)).device == GPU0
    with tf.device("/CPU:3"):
        assert tf.matmul(tf.constant(A), tf.constant(B)).device == CPU0


def test_without_soft_placement(two):
    tf.config.set_soft_device_placement(False)
    a = tf.constant(A)
    with tf.device("/GPU:7"), pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.raw_ops.Tanh(x=a)
    assert str(caught.value).endswith(
        f"Could not satisfy device specification '{LOCAL}GPU:7'. enable_soft_placement=0. Supported device types "
        f"[GPU, CPU]. All available devices [{GPU0}, {GPU1}, {CPU0}]. [Op:Tanh] name: ")
    with tf.device("/GPU:1"):
        assert tf.transpose(a).device == GPU1
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Supported device types \[CPU\]"):
            tf.strings.as_string(a)


def test_policies(two):
    tf.config.experimental.set_device_policy("explicit")
    a = tf.constant(A)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.tanh(a)
    assert (
        f"cannot compute Tanh as input #0 was expected to be on {GPU0} but is actually on {CPU0}" in str(caught.value)
    )
    assert tf.tanh(tf.identity(a)).device == GPU0


def test_a_warning_for_each_copy(two, capsys):
    tf.config.experimental.set_device_policy("warn")
    tf.tanh(tf.constant(A))
    assert "before computing Tanh input #0 was expected to be on" in capsys.readouterr().err


# --- variables, tapes, functions --------------------------------------------------------------------------------------


def test_variables(two):
    v, counter = tf.Variable([1.0, 2.0]), tf.Variable(0)
    with tf.device("/GPU:1"):
        w = tf.Variable([3.0, 4.0])
    with tf.device("/CPU:0"):
        u = tf.Variable([5.0, 6.0])
    assert [x.device for x in (v, w, u, counter)] == [GPU0, GPU1, CPU0, CPU0]
    assert [x.value().device for x in (v, w, u)] == [GPU0, GPU1, CPU0]
    held = w.value()
    w.assign_add([1.0, 1.0])
    v.assign(w)
    u.assign_sub(w)
    counter.assign_add(2)
    assert (w + 1.0).device == GPU0
    assert [x.numpy().tolist() for x in (v, w, u, held, counter)] == [[4.0, 5.0], [4.0, 5.0], [1.0, 1.0], [3.0, 4.0], 2]
    assert [x.handle._value.cell.buf.device.id for x in (v, w)] == [1, 2]
    assert isinstance(u.handle._value.cell.buf, np.ndarray)
    with pytest.raises(ValueError, match="Shape mismatch"):
        v.assign([1.0])


def test_sparse_writes(two):
    v = tf.Variable(np.arange(8.0, dtype=np.float32).reshape(4, 2))
    v.scatter_add(tf.IndexedSlices(tf.ones([2, 2]), tf.constant([0, 3])))
    v.scatter_nd_update([[1]], [[9.0, 9.0]])
    v.scatter_div(tf.IndexedSlices(tf.constant([[2.0, 2.0]]), tf.constant([2])))  # a kernel of the host's
    v[3, 1].assign(-1.0)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Cannot broadcast input shape \[3\] into final shape \[2\]"
    ):
        v[3].assign([1.0, 2.0, 3.0])  # in TensorFlow's words, which the host finds
    assert v.numpy().tolist() == [[1.0, 2.0], [9.0, 9.0], [2.0, 2.5], [7.0, -1.0]]
    assert v.sparse_read([1]).device == GPU0 and v.value().device == GPU0
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 9 is not in \[0, 4\)"):
        v.scatter_add(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([9])))


def training(steps=3, compiled=False):
    """Losses and weights of a small training run, wherever it is called."""
    generator = np.random.default_rng(0)
    x, y = (tf.constant(generator.normal(size=(8, n)).astype(np.float32)) for n in (5, 1))
    w, b = tf.Variable(generator.normal(size=(5, 1)).astype(np.float32)), tf.Variable([0.5])

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.tanh(x @ w + b) - y))
        for v, g in zip((w, b), tape.gradient(loss, (w, b)), strict=True):
            v.assign_sub(0.1 * g)
        return loss

    step = tf.function(step) if compiled else step
    return [step() for _ in range(steps)], w, b


@pytest.mark.parametrize("compiled", [False, True])
def test_training_is_the_same_everywhere(two, compiled):
    with tf.device("/CPU:0"):
        expected, *_ = training(compiled=compiled)
    losses, w, b = training(compiled=compiled)
    assert {t.device for t in expected} == {CPU0} and {t.device for t in losses} == {w.device, b.device} == {GPU0}
    np.testing.assert_allclose([t.numpy() for t in losses], [t.numpy() for t in expected], rtol=1e-5)
    with tf.device("/GPU:1"):
        losses, w, b = training(compiled=compiled)
    assert {t.device for t in losses} == {w.device} == {GPU1} and w.handle._value.cell.buf.device.id == 2
    np.testing.assert_allclose([t.numpy() for t in losses], [t.numpy() for t in expected], rtol=1e-5)


def test_gradients(two):
    v = tf.Variable([[1.0, 2.0]])
    with tf.GradientTape() as tape, tf.device("/GPU:1"):
        y = tf.reduce_sum(tf.tanh(v) ** 2)
    assert y.device == GPU1
    g = tape.gradient(y, v)
    assert (g.device, where(g)) == (GPU0, 1)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = v ** 3
        g = inner.gradient(y, v)
    assert outer.gradient(g, v).numpy().tolist() == [[6.0, 12.0]]
    table = tf.Variable(np.eye(3, dtype=np.float32))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [2, 2]) * [[1.0], [2.0]])
    g = tape.gradient(y, table)
    assert isinstance(g, tf.IndexedSlices) and tf.convert_to_tensor(g).numpy()[2].tolist() == [3.0] * 3


def test_functions(two):
    v = tf.Variable([1.0, 2.0])
    offset = tf.constant([10.0, 10.0])

    @tf.function
    def f(x):
        return x * v + offset, tf.shape(x), tf.strings.as_string(x)

    for _ in range(3):
        y, shape, text = f(tf.constant([3.0, 4.0]))
        assert (y.device, y.numpy().tolist(), shape.numpy().tolist()) == (GPU0, [13.0, 18.0], [2])
        assert text.device == CPU0
    with tf.device("/GPU:1"):
        y = f(tf.constant([3.0, 4.0]))[0]
        assert (y.device, where(y)) == (GPU1, 2)
    assert v.device == GPU0 and (v + 1.0).numpy().tolist() == [2.0, 3.0]
    with tf.device("/CPU:0"):
        y = f(tf.constant([3.0, 4.0]))[0]
    assert y.device == CPU0

    @tf.function
    def on_the_second(x):
        with tf.device("/GPU:1"):
            return tf.tanh(x)

    assert where(on_the_second(tf.constant([1.0]))) == 2


def test_a_function_over_several_devices(two):
    with tf.device("/GPU:1"):
        v = tf.Variable([1.0, 2.0])

    @tf.function
    def spread(x):
        with tf.device("/GPU:0"):
            first = tf.tanh(x)
        with tf.device("/GPU:1"):
            second = first * v
            v.assign_add([1.0, 1.0])
        with tf.device("/CPU:0"):
            third = second + 1.0
        return first, second, third, x + 1.0

    for n in range(3):
        found = spread(tf.constant([1.0, 1.0]))
        np.testing.assert_allclose(found[2].numpy(), np.tanh(1.0) * (np.array([1.0, 2.0]) + n) + 1.0, rtol=1e-6)
        assert [t.device[-5:] for t in found] == ["GPU:0", "GPU:1", "CPU:0", "GPU:0"]
        assert [where(t) for t in found] == [1, 2, 0, 1] and v.handle._value.cell.buf.device.id == 2
    with tf.GradientTape() as tape:
        x = tf.constant([1.0, 1.0])
        tape.watch(x)
        y = spread(x)[2]
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), (1 - np.tanh(1.0) ** 2) * np.array([4.0, 5.0]), rtol=1e-5)


def test_functions_that_write(two):
    with tf.device("/GPU:1"):
        v = tf.Variable([0.0, 0.0])

    @tf.function
    def add(x):
        v.assign_add(x)
        return v.read_value()

    held = [add(tf.constant([1.0, 2.0])) for _ in range(3)]
    v.assign_add([1.0, 1.0])
    assert [h.numpy().tolist() for h in held] == [[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]
    assert v.numpy().tolist() == [4.0, 7.0] and v.device == GPU1 and v.value().device == GPU1


def test_a_function_that_initialises(two):
    handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[2], shared_name="late")
    assign = tf.function(lambda x: [None for _ in [tf.raw_ops.AssignVariableOp(resource=handle, value=x * 2.0)]])
    read = tf.function(lambda: tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32) + 1.0)
    for n in range(3):
        assign(tf.constant([1.0, n]))
        assert read().numpy().tolist() == [3.0, 2.0 * n + 1.0] and where(read()) == 1


def test_threads_have_their_own_scopes(two):
    found = {}

    def work(i):
        with tf.device(f"/GPU:{i}"):
            x = tf.Variable(float(i))
            for _ in range(20):
                x.assign_add(1.0)
            found[i] = (x.device, x.numpy())

    threads = [threading.Thread(target=work, args=(i,)) for i in (0, 1)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == {0: (GPU0, 20.0), 1: (GPU1, 21.0)}


# --- the log ----------------------------------------------------------------------------------------------------------


def test_the_log_on_a_gpu(two, capsys):
    tf.debugging.set_log_device_placement(True)
    a, b = tf.constant(A), tf.constant(B)
    tf.matmul(a, b)
    with tf.device("/CPU:0"):
        tf.matmul(a, b)
    with tf.device("/GPU:1"):
        tf.matmul(a, b)
    v = tf.Variable(a)
    v.assign_add(a)
    with tf.GradientTape() as tape:
        y = tf.tanh(v)
    tape.gradient(y, v)
    assert log_of(capsys) == [
        "_EagerConst CPU:0", "_EagerConst CPU:0", "MatMul GPU:0", "MatMul CPU:0", "MatMul GPU:1", "VarHandleOp GPU:0",
        "AssignVariableOp GPU:0", "AssignAddVariableOp GPU:0", "ReadVariableOp GPU:0", "Tanh GPU:0", "OnesLike GPU:0",
        "TanhGrad GPU:0"]


def test_the_log_of_two_logical_cpus(machine, capsys):
    """TensorFlow 2.21 prints these lines, in this order (and `_EagerConst` for each constant that it has not seen
    before)."""
    machine(0)
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    tf.debugging.set_log_device_placement(True)
    a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    w = tf.Variable([1.0])
    with tf.device("/CPU:1"):
        v = tf.Variable(a)
        e = tf.identity(a)
        tf.reshape(a, [4])
    x = v + 1.0
    v.assign_add(a)
    y = e + 1.0
    with tf.device("/CPU:1"):
        z = w * 2.0
        w.assign_add([1.0])
        g = tf.gather(w, [0])
        i = tf.constant([1])
    assert [line for line in log_of(capsys) if "_EagerConst" not in line] == [
        "VarHandleOp CPU:0", "AssignVariableOp CPU:0", "VarHandleOp CPU:1", "AssignVariableOp CPU:1", "Identity CPU:1",
        "Reshape CPU:1", "ReadVariableOp CPU:1", "AddV2 CPU:0", "AssignAddVariableOp CPU:1", "AddV2 CPU:0",
        "ReadVariableOp CPU:0",
        "Mul CPU:1", "AssignAddVariableOp CPU:0", "ResourceGather CPU:0"]
    assert [t.device[-5:] for t in (a, e, v, w, x, y, z, g, i)] == [
        "CPU:0", "CPU:1", "CPU:1", "CPU:0", "CPU:0", "CPU:0", "CPU:1", "CPU:0", "CPU:1"]
    assert (e.backing_device[-5:], i.backing_device[-5:]) == ("CPU:1", "CPU:0")


@pytest.mark.parametrize(
    "cpus, scope", [(1, "/GPU:0"), (1, "/GPU:3"), (1, "/CPU:1"), (1, "/device:CPU:0"), (1, None), (2, "/GPU:0")]
)
def test_a_scope_that_leads_to_the_host_leaves_eager_code_fast(machine, cpus, scope):
    """Inside it, and for the rest of the process."""
    machine(0)
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * cpus)
    a = tf.constant(A)
    for _ in range(2):  # before and after the runtime has started
        with tf.device(scope):
            assert state.direct is not None
            b = a + a
            v = tf.Variable(b)
        assert (b.device, v.device, a.device) == (CPU0, CPU0, CPU0)
        assert state.direct is not None and not devices.placing()
        tf.config.list_logical_devices()


@pytest.mark.parametrize("hidden", [0, 1])
def test_a_scope_that_leads_to_another_cpu_places_ops(machine, hidden):
    """Also where there is a GPU that is not to be used, so that ops were placed until the runtime started."""
    machine(hidden)
    tf.config.set_visible_devices([], "GPU")
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    with tf.device("/CPU:1"):
        assert tf.ones([1]).device == (tf.ones([1]) + 1.0).device == LOCAL + "CPU:1"
        v = tf.Variable(1.0)
    assert v.device == v.read_value().device == LOCAL + "CPU:1" and state.direct is None


def test_without_soft_placement_on_the_host_alone(machine):
    """The scope refuses ops; outside it nothing has changed."""
    machine(0)
    a = tf.constant(A)
    tf.config.set_soft_device_placement(False)
    with (
        tf.device("/GPU:0"),
        pytest.raises(tf.errors.InvalidArgumentError, match="Could not satisfy device specification"),
    ):
        a + a  # noqa: B018
    assert state.direct is not None and state.own_backend is None
    tf.config.set_soft_device_placement(True)
    with tf.device("/GPU:0"):
        a + a  # noqa: B018
        tf.config.set_soft_device_placement(False)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Could not satisfy device specification"):
            a + a  # noqa: B018
    assert state.direct is not None and state.own_backend is None


def test_a_scope_keeps_the_checks_of_numbers(machine):
    machine(0)
    tf.config.set_soft_device_placement(False)
    tf.debugging.enable_check_numerics()
    try:
        for scope in ("/GPU:0", "/CPU:0"):
            with tf.device(scope), pytest.raises(tf.errors.InvalidArgumentError):
                tf.math.log(tf.constant(-1.0))
            with pytest.raises(tf.errors.InvalidArgumentError, match="Detected Infinity or NaN"):
                tf.math.log(tf.constant(-1.0))
    finally:
        tf.debugging.disable_check_numerics()
    assert state.direct is not None


def test_the_log_sees_the_fast_paths(machine, capsys):
    machine(0)
    a = tf.constant(A)
    tf.debugging.set_log_device_placement(True)
    a + a, a * a, tf.tanh(a), tf.nn.relu(a), tf.reduce_sum(a), a[0], tf.Variable(a).value()  # noqa: B018
    lines = log_of(capsys)
    for op in ("AddV2", "Mul", "Tanh", "Relu", "Sum", "StridedSlice", "ReadVariableOp"):
        assert f"{op} CPU:0" in lines
    tf.debugging.set_log_device_placement(False)
    assert not devices.placing()
    a + a  # noqa: B018
    assert not log_of(capsys)


def test_the_log_names_functions(machine, capsys):
    machine(0)
    tf.debugging.set_log_device_placement(True)
    tf.function(lambda x: x + 1.0)(tf.constant(1.0))
    assert any("__inference_" in line and line.endswith("CPU:0") for line in log_of(capsys))


# --- settings ---------------------------------------------------------------------------------------------------------


def gpus():
    return tf.config.list_physical_devices("GPU")


def test_visible_devices(machine):
    driver = machine(3)
    assert [d.name for d in gpus()] == [f"/physical_device:GPU:{i}" for i in range(3)]
    tf.config.set_visible_devices(gpus()[1:], "GPU")
    assert [d.name for d in tf.config.list_logical_devices()] == ["/device:CPU:0", "/device:GPU:0", "/device:GPU:1"]
    assert where(tf.tanh(tf.constant(1.0))) == 2  # the first visible one is the second of the machine
    assert driver.started_with == ([1, 2], False, None)
    with pytest.raises(RuntimeError, match="Visible devices cannot be modified after being initialized"):
        tf.config.set_visible_devices([], "GPU")
    assert tf.config.experimental.get_device_details(gpus()[2]) == {"device_name": "pretended 2"}


def test_no_visible_gpu_is_the_host_alone(machine):
    driver = machine(1)
    tf.config.set_visible_devices([], "GPU")
    assert [d.name for d in tf.config.list_logical_devices()] == ["/device:CPU:0"]
    x = tf.tanh(tf.constant([1.0]))
    assert (x.device, driver.started_with, devices.placing()) == (CPU0, "hidden", False)


def test_memory_settings_reach_the_driver(machine):
    driver = machine(2)
    for gpu in gpus():
        tf.config.experimental.set_memory_growth(gpu, True)
    assert tf.config.experimental.get_memory_growth(gpus()[0])
    tf.tanh(tf.constant(1.0))
    assert driver.started_with == ([0, 1], True, None)
    with pytest.raises(RuntimeError, match="Physical devices cannot be modified after being initialized"):
        tf.config.experimental.set_memory_growth(gpus()[0], False)
    assert tf.config.experimental.get_memory_info("GPU:0") == {"current": 0, "peak": 0}  # JAX's CPU does not count


def test_growth_cannot_differ(two):
    tf.config.experimental.set_memory_growth(gpus()[0], True)
    with pytest.raises(ValueError, match="Memory growth cannot differ between GPU devices"):
        tf.config.list_logical_devices()


def test_several_logical_devices_on_one_gpu(machine):
    driver = machine(1)
    one = tf.config.LogicalDeviceConfiguration(memory_limit=1024)
    tf.config.set_logical_device_configuration(
        gpus()[0], [one, tf.config.LogicalDeviceConfiguration(memory_limit=2048)]
    )
    with pytest.raises(ValueError, match="Cannot set memory growth on device when virtual devices configured"):
        tf.config.experimental.set_memory_growth(gpus()[0], True)
    assert [d.name for d in tf.config.list_logical_devices("GPU")] == ["/device:GPU:0", "/device:GPU:1"]
    with tf.device("/GPU:1"):
        x = tf.tanh(tf.constant([1.0]))
        v = tf.Variable(x)
        y = tf.function(lambda t: t + v)(x)
    z = x + 1.0
    assert [t.device for t in (x, v, y, z)] == [GPU1, GPU1, GPU1, GPU0]
    assert {where(x), where(y), where(z)} == {1}
    assert driver.started_with == ([0], False, 3072 << 20)


def test_a_limit_is_required(two):
    with pytest.raises(ValueError, match="Setting memory limit is required for GPU virtual devices"):
        tf.config.set_logical_device_configuration(gpus()[0], [tf.config.LogicalDeviceConfiguration()])


@pytest.mark.parametrize("growth, limit, forced, wanted", [
    (False, None, None, (None, "0.95")), (True, None, None, ("false", "0.95")),
    (False, 1 << 30, None, (None, "0.0078125")),
    (False, None, "true", ("false", "0.95")), (True, None, "false", (None, "0.95"))])
def test_what_jax_is_told(monkeypatch, growth, limit, forced, wanted):
    from reflow.devices import cuda

    names = (cuda.PREALLOCATE, cuda.FRACTION, cuda.FRACTION_TOO, "TF_FORCE_GPU_ALLOW_GROWTH")
    for name in names:
        monkeypatch.setenv(name, "x")
        monkeypatch.delenv(name)
    if forced:
        monkeypatch.setenv("TF_FORCE_GPU_ALLOW_GROWTH", forced)
    monkeypatch.setattr(cuda, "described", lambda: (cuda.Gpu("pretended", (9, 0), 128 << 30),))
    Cuda.settle_memory(growth, limit)
    import os

    assert tuple(os.environ.get(n) for n in names[:2]) == wanted
    monkeypatch.setenv(cuda.FRACTION, "0.5")  # the user's own stays, unless tf.config disagrees
    Cuda.settle_memory(False, None)
    assert os.environ[cuda.FRACTION] == "0.5"


def test_numbers_of_gpus():
    assert (
        [visible(4, w) for w in (None, "", "-1", "0", "2,3", "0,9,1", "1,-1,2", "GPU-abc")] == [4, 0, 0, 1, 2, 1, 1, 1]
    )
    assert fraction(4 << 30, None) == 0.625 and fraction(80 << 30, 8 << 30) == 0.1


def test_a_function_is_compiled_once_wherever_its_arguments_lie(two, caplog):
    v = tf.Variable(tf.ones([30, 30]))

    @tf.function
    def step(x):
        v.assign_add(0.1 * tf.ones_like(v))
        return tf.tanh(x @ v)

    host, there = tf.constant(np.ones([40, 30], np.float32)), tf.reduce_sum(tf.ones([2, 40, 30]), 0)
    with jax.log_compiles():
        for x in (host, host, tf.constant(np.ones([40, 30], np.float32)), there, host):
            assert where(step(x)) == 1
    assert sum("Finished XLA compilation of jit(step)" in message for message in caplog.messages) == 1


def test_a_function_is_compiled_for_each_device_that_it_is_called_on(two):
    double = tf.function(lambda x: x + x)
    x = tf.constant(np.ones([40, 30], np.float32))
    for _ in range(2):
        for index in range(2):
            with tf.device(f"GPU:{index}"):
                assert where(double(x)) == 1 + index
