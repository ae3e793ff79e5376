"""The kernels in C++ compute what XLA's operations compute. `tests/native/` builds, attacks and fuzzes them."""

import jax
import numpy as np
import pytest

import reflow as tf
from reflow import native
from reflow.core.context import swapped
from reflow.ops.xp import host as host_xp
from reflow.ops.xp import xla as xla_xp
from reflow.ops.xp.xla import native as xla_native

needs_compiler = pytest.mark.skipif(not native.available(), reason="no C++ compiler here")
rng = np.random.default_rng(0)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def both(word, *args, **options):
    """A function of `xp` without and with our kernels, and whether these were used."""

    def run(native_):
        def function(*arrays):
            with swapped(native=native_):
                return word(*arrays, **options)

        lowered = jax.jit(function).lower(*args)
        return np.asarray(lowered.compile()(*args)), "reflow_" in lowered.as_text()

    (plain, _), (ours, used) = run(False), run(xla_native.Calls())
    return plain, ours, used


def close(ours, plain):
    assert ours.shape == plain.shape
    np.testing.assert_allclose(ours, plain, rtol=1e-4, atol=2e-5 * max(1.0, np.abs(plain).max()))


SIZES = [
    (1, 300, 300), (2, 33, 1000), (12, 64, 96), (13, 77, 101), (50, 484, 100), (97, 48, 31), (300, 20, 17),
    (5, 5000, 40),
]


@needs_compiler
@pytest.mark.parametrize("flip_y", [False, True])
@pytest.mark.parametrize("flip_x", [False, True])
@pytest.mark.parametrize("m,k,n", SIZES)
def test_product(m, k, n, flip_x, flip_y):
    x, y = normal(*((k, m) if flip_x else (m, k))), normal(*((n, k) if flip_y else (k, n)))
    plain, ours, used = both(xla_xp.matmul, x, y, flip_x=flip_x, flip_y=flip_y)
    assert used == (m >= xla_native.FEW_ROWS or not flip_y)
    close(ours, plain)


@needs_compiler
@pytest.mark.parametrize("columns, waited_for, turned, depth, ours", [
    (16, False, False, 800, False), (16, True, False, 800, False), (32, False, False, 800, False),
    (32, True, False, 800, True), (16, False, True, 800, True), (16, True, True, 4000, False),
    (32, False, True, 4000, True),
])
def test_larger_products_where_registers_are_wide(monkeypatch, columns, waited_for, turned, depth, ours):
    """4 and 20 million multiply-adds."""
    monkeypatch.setattr(native, "panel_columns", lambda: columns)
    used = []

    def function(x, y):
        used.append(xla_native.product(x, y, turned, False) is not None)
        return y

    with swapped(native=xla_native.Calls(waited_for)):
        jax.make_jaxpr(function)(normal(*((depth, 64) if turned else (64, depth))), normal(depth, 80))
    assert used == [ours]


@needs_compiler
def test_product_of_a_sequence_with_a_matrix():
    plain, ours, used = both(xla_xp.matmul, normal(4, 7, 64), normal(64, 50))
    assert used and ours.shape == (4, 7, 50)
    close(ours, plain)


@needs_compiler
@pytest.mark.parametrize("x,y", [(normal(4, 4), normal(4, 4)), (normal(64, 64).astype(np.float64), np.ones((64, 64)))])
def test_small_and_double_products_stay_with_xla(x, y):
    with jax.enable_x64(True):
        plain, ours, used = both(xla_xp.matmul, x, y)
    assert not used
    np.testing.assert_array_equal(ours, plain)


def convolutions():
    """Sizes, windows, strides and paddings of all kinds."""
    draw = np.random.default_rng(1)
    for _ in range(30):
        window = draw.integers(1, 6, 2)
        strides = draw.integers(1, 4, 2)
        padding = draw.integers(0, 4, (2, 2))
        size = draw.integers(1, 18, 2) + np.maximum(window - padding.sum(1), 0)
        batch, channels, filters = (
            draw.choice([1, 2, 3, 5]), draw.choice([1, 3, 8, 19]), draw.choice([1, 4, 16, 33, 70])
        )
        yield (
            (int(batch), *size.tolist(), int(channels)), (*window.tolist(), int(channels), int(filters)),
            strides.tolist(), padding.tolist(),
        )


def squares():
    """Windows of 3x3 at every pixel, with channels and pixels enough for Winograd's algorithm."""
    draw = np.random.default_rng(3)
    for _ in range(10):
        size, padding = draw.integers(13, 30, 2), draw.integers(0, 4, (2, 2))
        batch, channels, filters = (int(draw.choice(n)) for n in ([3, 5, 40], [16, 32, 48, 80], [16, 64, 96]))
        yield (batch, *size.tolist(), channels), (3, 3, channels, filters), [1, 1], padding.tolist()


def few_taps():
    """Windows of few numbers, as in the first layer of a network for images."""
    for size in (3, 13, 28):
        for channels, stride in ((1, 1), (3, 1), (1, 3)):
            for filters in (16, 32, 80):
                yield (2, size, size + 4, channels), (3, 3, channels, filters), [2, stride], [[1, 1], [0, 2]]


@needs_compiler
@pytest.mark.parametrize("image,window,strides,padding", [*convolutions(), *squares(), *few_taps()])
def test_convolution_and_its_gradients(image, window, strides, padding):
    x, w = normal(*image), normal(*window)
    plain, ours, used = both(xla_xp.conv, x, w, strides=strides, padding=padding)
    assert used
    close(ours, plain)
    g = normal(*plain.shape)
    plain, ours, used = both(
        lambda w, g: xla_xp.conv_backprop_input(image, w, g, strides=strides, padding=padding), w, g
    )
    assert used == (image[-1] >= 8)
    close(ours, plain)
    plain, ours, used = both(
        lambda x, g: xla_xp.conv_backprop_filter(x, window, g, strides=strides, padding=padding), x, g
    )
    assert used
    close(ours, plain)


def depthwise():
    draw = np.random.default_rng(2)
    for _ in range(24):
        window, strides, dilations = draw.integers(1, 6, 2), draw.integers(1, 4, 2), draw.integers(1, 4, 2)
        padding = draw.integers(0, 4, (2, 2))
        size = draw.integers(1, 15, 2) + np.maximum((window - 1) * dilations + 1 - padding.sum(1), 0)
        batch, channels = int(draw.choice([1, 2, 17, 33])), int(draw.choice([2, 7, 16, 33, 70, 130]))
        yield (
            (batch, *size.tolist(), channels), (*window.tolist(), 1, channels),
            [n.tolist() for n in (strides, padding, dilations)],
        )


@needs_compiler
@pytest.mark.parametrize("image,window,numbers", list(depthwise()))
def test_each_channel_by_itself(image, window, numbers):
    strides, padding, dilations = numbers
    options = {"strides": strides, "padding": padding, "dilations": dilations, "groups": image[-1]}
    x, w = normal(*image), normal(*window)
    plain, ours, used = both(xla_xp.conv, x, w, **options)
    assert used
    close(ours, plain)
    g = normal(*plain.shape)
    plain, ours, used = both(lambda w, g: xla_xp.conv_backprop_input(image, w, g, **options), w, g)
    assert used
    close(ours, plain)
    plain, ours, used = both(lambda x, g: xla_xp.conv_backprop_filter(x, window, g, **options), x, g)
    assert used
    close(ours, plain)


@needs_compiler
def test_two_filters_for_a_channel_stay_with_xla():
    options = {"strides": [1, 1], "padding": [[1, 1], [1, 1]], "groups": 4}
    _, _, used = both(xla_xp.conv, normal(2, 9, 9, 4), normal(3, 3, 1, 8), **options)
    assert not used


@needs_compiler
def test_a_large_convolution_on_several_threads_is_the_same_every_time():
    x, w = normal(16, 28, 28, 32), normal(3, 3, 32, 64)
    results = [both(xla_xp.conv, x, w, strides=[1, 1], padding=[[1, 1], [1, 1]])[1] for _ in range(4)]
    assert all((r == results[0]).all() for r in results)


@needs_compiler
@pytest.mark.parametrize(
    "options",
    [{"dilations": [2, 2]}, {"groups": 2}, {"lhs_dilation": (2, 2)}],
    ids=["dilated", "grouped", "transposed"],
)
def test_other_convolutions_stay_with_xla(options):
    x, w = normal(2, 9, 9, 4), normal(3, 3, 4 // options.get("groups", 1), 6)
    _, _, used = both(xla_xp.conv, x, w, strides=[1, 1], padding=[[1, 1], [1, 1]], **options)
    assert not used


@needs_compiler
@pytest.mark.parametrize(
    "dims,window,strides,padding",
    [
        ((3, 8, 9, 19), (2, 2), (2, 2), ((0, 0), (0, 1))),  # every pixel is in one window
        ((3, 9, 8, 35), (2, 2), (2, 2), ((0, 0), (0, 0))),  # the last row is in none
        ((2, 9, 7, 16), (3, 2), (1, 2), ((1, 1), (1, 0))),
        ((2, 7, 7, 3), (2, 2), (3, 4), ((1, 0), (0, 0))),
    ],
)
def test_max_pool_gradient(dims, window, strides, padding):
    x = np.round(normal(*dims))  # equal numbers in a window: the first one gets the gradient
    y = np.asarray(xla_xp.max_pool(x, window, strides, padding))
    plain, ours, used = both(
        xla_xp.max_pool_grad, x, y, normal(*y.shape), window=window, strides=strides, padding=padding
    )
    assert used
    close(ours, plain)


@needs_compiler
@pytest.mark.parametrize(
    "dims,window,strides,padding",
    [((3, 8, 9, 19), (2, 2), (2, 2), ((0, 0), (0, 1))), ((2, 9, 7, 35), (3, 2), (1, 3), ((3, 1), (1, 0)))],
)
def test_max_pool(dims, window, strides, padding):
    """Windows of nothing but padding, and of NaN, too. (XLA's pooling on the CPU loses NaN.)"""
    x = normal(*dims)
    x[0, 2, 3], x[1, :2, :, 0] = np.nan, -np.inf
    _, ours, used = both(xla_xp.max_pool, x, window=window, strides=strides, padding=padding)
    assert used
    np.testing.assert_array_equal(ours, host_xp.max_pool(x, window, strides, padding))


class Network:
    """conv, bias, ReLU, conv, ReLU, pooling: the loss and its gradients."""

    def __init__(self, twice=False):
        self.weights = [tf.Variable(0.2 * normal(*dims)) for dims in ((3, 3, 5, 16), (16,), (3, 3, 16, 16))]
        self.x, self.twice = tf.constant(normal(4, 12, 12, 5)), twice

    def __call__(self):
        first, bias, second = self.weights
        with tf.GradientTape() as tape:
            between = tf.nn.conv2d(self.x, first, 1, "SAME")
            y = tf.nn.relu(tf.nn.conv2d(tf.nn.relu(between + bias), second, 1, "SAME"))
            loss = tf.reduce_sum(tf.nn.max_pool2d(y, 2, 2, "SAME") ** 2)
            loss += tf.reduce_sum(tf.tanh(between)) if self.twice else 0.0
        return loss, *tape.gradient(loss, self.weights)


def targets_of(function, *args) -> list[str]:
    """The kernels that a compiled function calls, each as often as it does."""
    text = tf.function(function, jit_compile=True).experimental_get_compiler_ir(*args)("optimized_hlo")
    return sorted(
        line.split('custom_call_target="')[1].split('"')[0] for line in text.splitlines()
        if "custom_call_target" in line
    )


@needs_compiler
def test_calls_take_over_what_follows_them():
    """No pass over an image is left for a bias, a ReLU or the gradient of one."""
    network = Network()
    gradients = ["reflow_filter_gradient"] * 2 + ["reflow_input_gradient_before_relu", "reflow_max_pool_gradient"]
    assert targets_of(network) == sorted(["reflow_finished_convolution"] * 2 + ["reflow_max_pool"] + gradients)
    compiled = tf.function(network, jit_compile=True)
    for ours, plain in zip(compiled(), network(), strict=True):
        close(ours.numpy(), plain.numpy())


@needs_compiler
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("window,stride", [((2, 2), 2), ((3, 2), 1), ((2, 2), 3)])
def test_the_gradient_of_a_filter_behind_a_pooling(window, stride, padding):
    """A first layer's: the gradient of its result is never there as a whole."""
    x, w = tf.constant(normal(11, 13, 12, 3)), tf.Variable(normal(3, 3, 3, 16))

    def gradient():
        with tf.GradientTape() as tape:
            y = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, w, 1, "SAME")), window, stride, padding)
            loss = tf.reduce_sum(tf.sin(y))
        return tape.gradient(loss, w)

    assert (
        "reflow_pooled_filter_gradient" in targets_of(gradient)
        and "reflow_max_pool_gradient" not in targets_of(gradient)
    )
    close(tf.function(gradient, jit_compile=True)().numpy(), gradient().numpy())


@needs_compiler
def test_a_result_that_is_used_twice_is_computed_once():
    network = Network(twice=True)
    targets = targets_of(network)
    assert targets.count("reflow_convolution") == 1 and targets.count("reflow_finished_convolution") == 1
    for ours, plain in zip(tf.function(network, jit_compile=True)(), network(), strict=True):
        close(ours.numpy(), plain.numpy())


@needs_compiler
def test_a_loop_does_not_compute_a_convolution_again():
    """The ReLU in its body has a result from outside, which one iteration is not the only one to use."""
    x, w = tf.constant(normal(2, 8, 8, 8)), tf.constant(normal(3, 3, 8, 16))

    def function(x, w):
        y, total = tf.nn.conv2d(x, w, 1, "SAME"), tf.zeros([])
        for i in tf.range(tf.cast(x[0, 0, 0, 0] * 0, tf.int32) + 3):
            total += tf.reduce_sum(tf.nn.relu(y)) * tf.cast(i, tf.float32)
        return total

    assert targets_of(function, x, w) == ["reflow_convolution"]
    np.testing.assert_allclose(
        tf.function(function, jit_compile=True)(x, w), 3 * np.maximum(tf.nn.conv2d(x, w, 1, "SAME"), 0).sum(), rtol=1e-4
    )


@needs_compiler
def test_a_function_calls_them_and_a_map_over_rows_does_not():
    x, w = tf.constant(normal(64, 80)), tf.constant(normal(80, 90))
    step = tf.function(lambda x, w: tf.matmul(x, w), jit_compile=True)
    assert "reflow_product" in step.experimental_get_compiler_ir(x, w)("hlo")
    rows = tf.function(lambda x, w: tf.vectorized_map(lambda row: tf.matmul(row, w), x), jit_compile=True)
    batch = tf.constant(normal(3, 64, 80))
    assert "reflow_product" not in rows.experimental_get_compiler_ir(batch, w)("hlo")
    np.testing.assert_allclose(rows(batch, w), np.matmul(batch.numpy(), w.numpy()), rtol=1e-4, atol=1e-4)


def test_second_derivatives_through_a_convolution():
    x, w = tf.constant(normal(2, 8, 8, 8)), tf.Variable(normal(3, 3, 8, 8))

    def penalty():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(tf.tanh(tf.nn.conv2d(x, w, 2, "SAME")))
            loss = tf.reduce_sum(inner.gradient(y, x) ** 2)
        return outer.gradient(loss, w)

    compiled = tf.function(penalty)
    compiled()
    np.testing.assert_allclose(compiled(), penalty(), rtol=1e-3, atol=1e-2)  # sums of numbers up to 100, some near 0


def test_products_of_matrices_in_every_mode():
    """The flags of `matmul` mean the transpose on all three sides of `xp`, for complex numbers too."""
    from reflow.ops.xp import tensor as tensor_xp

    x, y = normal(2, 3, 4) + 1j * normal(2, 3, 4), normal(2, 5, 3) + 1j * normal(2, 5, 3)
    expected = np.matmul(x.swapaxes(-1, -2), y.swapaxes(-1, -2))
    for xp, wrap in ((host_xp, np.asarray), (xla_xp, jax.numpy.asarray), (tensor_xp, tf.constant)):
        with jax.enable_x64(True):
            result = xp.matmul(wrap(x), wrap(y), True, True)
        np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-5)


@needs_compiler
@pytest.mark.parametrize("shape", [(4096,), (300, 170), (100_003,)])
def test_adam_in_one_pass(shape):
    var, m, grad = normal(*shape), normal(*shape), normal(*shape)
    rates = [np.float32(x) for x in (0.01, 0.1, 0.001, 1e-7)]

    def fused(var, m, v, grad, *rates):
        with swapped(native=xla_native.Calls()):
            return xla_xp.fused_adam(var, m, v, grad, *rates)

    ours = jax.jit(fused)(var, m, m * m, grad, *rates)
    mean, square = m + (grad - m) * rates[1], m * m + (grad * grad - m * m) * rates[2]
    plain = var - mean * rates[0] / (np.sqrt(square) + rates[3]), mean, square
    for a, b in zip(ours, plain, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@needs_compiler
def test_a_step_of_adam_uses_it_for_large_variables_of_float32_alone():
    def used(size, dtype):
        v, slots = tf.Variable(tf.ones([size], dtype)), [tf.Variable(tf.zeros([size], dtype)) for _ in range(2)]

        @tf.function
        def step(grad):
            numbers = [tf.constant(x, dtype) for x in (0.9, 0.999, 0.1, 0.9, 0.999, 1e-7)]
            tf.raw_ops.ResourceApplyAdam(
                var=v.handle, m=slots[0].handle, v=slots[1].handle, beta1_power=numbers[0], beta2_power=numbers[1],
                lr=numbers[2], beta1=numbers[3], beta2=numbers[4], epsilon=numbers[5], grad=grad,
            )
            return v.read_value()

        results = [step(tf.ones([size], dtype)).numpy() for _ in range(3)]
        np.testing.assert_allclose(results[0], 0.9, rtol=1e-3)
        assert (results[2] < results[1]).all()
        return "reflow_adam" in targets_of(step, tf.ones([size], dtype))

    assert [used(5000, tf.float32), used(50, tf.float32), used(5000, tf.float64)] == [True, False, False]
