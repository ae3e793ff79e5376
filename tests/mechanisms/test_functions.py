"""Functions: traced once, interpreted, compiled at the second call, cut where data decides a shape; the same numbers
always."""

import numpy as np
import pytest

import reflow as tf


def thrice(function, *args):
    """Call three times: interpreted, compiling, compiled. All results must be equal."""
    results = [tf.nest.map_structure(lambda t: t.numpy(), function(*args)) for _ in range(3)]
    for other in results[1:]:
        tf.nest.map_structure(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6), results[0], other)
    return results[0]


def test_reshape_by_tensor():
    f = tf.function(lambda x, n: tf.reshape(x, [n, -1]) * 2.0)
    x = tf.range(12.0)
    assert thrice(f, x, tf.constant(3)).shape == (3, 4)
    assert thrice(f, x, tf.constant(6)).shape == (6, 2)
    g = tf.function(lambda x: tf.reshape(x, [tf.shape(x)[0], 2, 2]), input_signature=[tf.TensorSpec([None, 4])])
    assert g.get_concrete_function().outputs[0].shape == tf.TensorShape([None, 2, 2])
    assert thrice(g, tf.ones([5, 4])).shape == (5, 2, 2)


def test_slice_by_tensor():
    f = tf.function(lambda x, n: tf.reduce_sum(x[:n]))
    for n in (2, 5, 2, 9):
        assert thrice(f, tf.ones([9]), tf.constant(n)) == n


def test_size_that_depends_on_data():
    """The op that needs a value computed in the middle runs on the host; what surrounds it is still compiled."""
    @tf.function
    def f(x):
        y = tf.sin(x) * 2.0
        count = tf.cast(tf.reduce_max(y), tf.int32) + 2
        return tf.fill([count], 1.5), tf.boolean_mask(y, y > 0.0)

    for x in ([0.1, 1.5], [1.5, 2.0], [-1.0, -2.0]):
        filled, masked = thrice(f, tf.constant(x))
        y = np.sin(np.float32(x)) * 2
        assert filled.shape == (int(y.max()) + 2,)
        np.testing.assert_allclose(masked, y[y > 0], rtol=1e-6)


def test_cond_with_unequal_shapes():
    f = tf.function(lambda p, x: tf.cond(p, lambda: x, lambda: x[:2]))
    x = tf.range(5.0)
    assert thrice(f, tf.constant(True), x).shape == (5,)
    assert thrice(f, tf.constant(False), x).shape == (2,)
    assert f.get_concrete_function(tf.constant(True), x).outputs[0].shape == tf.TensorShape([None])


def test_set_seed_resets_functions():
    """TensorFlow's own numbers: a stream continues over calls, `set_seed` resets it, the baked seed stays."""
    tf.random.set_seed(7)
    f = tf.function(lambda: tf.random.uniform([]))
    g = tf.function(lambda: tf.random.uniform([]))
    first, second = f().numpy(), f().numpy()
    np.testing.assert_allclose([first, second], [0.7537, 0.5876], atol=1e-4)
    assert g().numpy() == first
    tf.random.set_seed(8)
    assert f().numpy() == first


def test_random_in_a_loop_advances_per_iteration_and_call():
    tf.random.set_seed(7)

    @tf.function
    def f():
        out = tf.TensorArray(tf.float32, size=3)
        return tf.while_loop(
            lambda i, a: i < 3, lambda i, a: (i + 1, a.write(i, tf.random.uniform([], seed=5))), (0, out)
        )[1].stack()

    # recorded from TensorFlow, which runs the iterations' random ops in no fixed order
    np.testing.assert_allclose(np.sort(f().numpy()), [0.08908021, 0.8669311, 0.98587143], rtol=1e-6)
    np.testing.assert_allclose(np.sort(f().numpy()), [0.1441716, 0.1684258, 0.7997453], rtol=1e-6)


def test_reset_context_two_cpus():
    from reflow.api import config  # noqa: F401 - the public functions
    context = tf.__internal__.eager_context

    context._reset_context()
    try:
        cpu = tf.config.list_physical_devices("CPU")[0]
        tf.config.set_logical_device_configuration(
            cpu, [tf.config.LogicalDeviceConfiguration(), tf.config.LogicalDeviceConfiguration()])
        assert len(tf.config.list_logical_devices("CPU")) == 2
        with tf.device("/CPU:1"):
            assert (tf.constant(1) + 1).device.endswith("device:CPU:1")
    finally:
        context._reset_context()
    assert len(tf.config.list_logical_devices("CPU")) == 1


def test_while_over_an_iterator_with_a_cond_inside():
    """The shape of Keras' `steps_per_execution`: a loop whose body reads the iterator and branches."""
    dataset = tf.data.Dataset.range(10).batch(4)

    @tf.function
    def total(iterator):
        def body(i, s):
            batch = iterator.get_next()
            s = tf.cond(
                tf.equal(tf.size(batch), 4), lambda: s + tf.reduce_sum(batch), lambda: s + 100 * tf.reduce_sum(batch)
            )
            return i + 1, s

        return tf.while_loop(lambda i, s: i < 3, body, (0, tf.constant(0, tf.int64)))[1]

    for _ in range(3):
        assert total(iter(dataset)).numpy() == sum(range(8)) + 100 * 17
    assert total.experimental_get_tracing_count() == 1


def test_variables_created_on_the_first_call_only():
    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = None
            self.traces = 0

        @tf.function
        def __call__(self, x):
            self.traces += 1
            if self.w is None:
                self.w = tf.Variable(lambda: tf.ones([2]) * 3.0)
            return x * self.w

    layer = Layer()
    for _ in range(3):
        np.testing.assert_array_equal(layer(tf.constant([1.0, 2.0])).numpy(), [3.0, 6.0])
    assert layer.traces == 2

    kept = []
    bad = tf.function(lambda x: kept.append(tf.Variable(1.0)) or kept[-1] * x)
    with pytest.raises(ValueError, match="singleton tf.Variables"):
        bad(tf.constant(1.0))


def test_trace_key():
    count = []

    @tf.function
    def f(x, y=None, *, flag=True):
        count.append(1)
        return x

    f(tf.constant(1.0))
    f(tf.constant(2.0))
    f(np.float32(3.0))
    assert len(count) == 1
    f(tf.constant([1.0]))
    f(1.0)
    f(2.0)
    f(tf.constant(1.0), flag=False)
    assert len(count) == 5
    a, b, c = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0)
    seen = []
    g = tf.function(lambda u, v: seen.append(1) or u + v)
    assert [g(a, b).numpy(), g(b, c).numpy(), g(a, a).numpy(), g(c, c).numpy()] == [3.0, 5.0, 2.0, 6.0]
    assert len(seen) == 2


def test_assigning_to_variables_given_as_arguments():
    @tf.function
    def swap(u, v):
        old = u.value()
        u.assign(v)
        v.assign(old)

    a, b = tf.Variable([1.0]), tf.Variable([2.0])
    for i in range(4):
        swap(a, b)
        assert [a.numpy()[0], b.numpy()[0]] == ([2.0, 1.0] if i % 2 == 0 else [1.0, 2.0])
    swap(a, a)
    assert a.numpy()[0] == 1.0


def test_leaked_symbolic_tensor_is_refused():
    leaked = []
    tf.function(lambda x: leaked.append(x + 1.0))(tf.constant(1.0))
    with pytest.raises(TypeError, match="out of scope"):
        leaked[0] + 1.0
    with pytest.raises((TypeError, ValueError), match="out of scope"):
        tf.function(lambda: leaked[0] * 2.0)()


def test_nested_calls_share_state_in_program_order():
    v = tf.Variable(1.0)

    @tf.function
    def double():
        v.assign(v * 2.0)
        return v + 0.0

    @tf.function
    def outer():
        a = double()
        v.assign_add(1.0)
        b = double()
        return a, b

    expected = 1.0
    for _ in range(4):
        a, b = outer()
        assert a.numpy() == expected * 2
        assert b.numpy() == (expected * 2 + 1) * 2
        expected = b.numpy()


def test_jit_compile_is_whole_or_an_error():
    f = tf.function(lambda x: tf.sin(x) + 1.0, jit_compile=True)
    np.testing.assert_allclose(f(tf.constant(1.0)).numpy(), np.sin(1.0) + 1.0, rtol=1e-6)
    g = tf.function(lambda x: tf.strings.as_string(x), jit_compile=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="AsString"):
        g(tf.constant([1.0, -1.0]))


def test_iterator_of_unknown_batch_is_not_given_a_fixed_trace():
    """A trace for batches of 50 must not serve an iterator whose last batch is smaller."""
    sizes = tf.function(lambda iterator: tf.shape(iterator.get_next())[0], reduce_retracing=True)
    data = tf.data.Dataset.range(100)
    assert sizes(iter(data.batch(50, drop_remainder=True))).numpy() == 50
    iterator = iter(data.batch(32))
    assert [sizes(iterator).numpy() for _ in range(4)] == [32, 32, 32, 4]


def test_errors_are_the_same_at_every_call():
    """Interpreted, while it compiles, and compiled: a bad value raises each time, and good ones work afterwards."""
    for bad_at in range(4):
        gather = tf.function(lambda x, i: tf.gather(x, i) * 1.0, autograph=False)
        reshape = tf.function(lambda x: tf.reshape(x, [2, 2]), input_signature=[tf.TensorSpec([None])], autograph=False)
        for call in range(5):
            if call == bad_at:
                with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
                    gather(tf.ones([3]), tf.constant([5]))
                with pytest.raises(tf.errors.InvalidArgumentError, match="requested shape has 4"):
                    reshape(tf.ones([3]))
            assert gather(tf.ones([3]), tf.constant([2])).numpy() == [1.0]
            assert reshape(tf.ones([4])).shape == (2, 2)
