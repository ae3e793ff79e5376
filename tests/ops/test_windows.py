"""Windows with numbers that somebody chose: strides, dilations, paddings and sizes up to 63 bits.

Each is TensorFlow's error or the right result, at once, and the same eager, interpreted and compiled.
"""

import itertools

import numpy as np
import pytest

import reflow as tf
from reflow.ops.kernels.nn.trim import trim
from reflow.ops.kernels.nn.windows import same_padding
from reflow.ops.xp import host as host_xp
from reflow.ops.xp.windows import window_of

R = tf.raw_ops
rng = np.random.default_rng(0)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def modes(call):
    """The call eager, in a function (interpreted, then compiled), and compiled at once."""
    function = tf.function(call, autograph=False)
    return {
        "eager": call,
        "interpreted": function,
        "compiled": function,
        "jit": tf.function(call, autograph=False, jit_compile=True),
    }


# --- results ----------------------------------------------------------------------------------------------------------


def meetings(image, window, out, strides, dilations, padding):
    """Each (output, tap, pixel) of which the pixel lies inside the image."""
    for at in itertools.product(*map(range, (*out, *window))):
        p, t = at[: len(out)], at[len(out) :]
        q = tuple(i * s + k * d - b for i, k, s, d, (b, _) in zip(p, t, strides, dilations, padding))
        if all(0 <= i < n for i, n in zip(q, image)):
            yield p, t, q


def reference(x, w, strides, dilations, padding):
    """A convolution and its two gradients for a cotangent of ones, pixel by pixel, without any padding."""
    out = window_of(x.shape[1:-1], w.shape[:-2], strides, padding, dilations).out
    y, dx, dw = np.zeros((x.shape[0], *out, w.shape[-1]), np.float32), np.zeros_like(x), np.zeros_like(w)
    everything = slice(None)
    for p, t, q in meetings(x.shape[1:-1], w.shape[:-2], out, strides, dilations, padding):
        y[(everything, *p)] += x[(everything, *q)] @ w[t]
        dx[(everything, *q)] += w[t].sum(-1)
        dw[t] += x[(everything, *q)].sum(0)[:, None]
    return y, dx, dw


#: strides, dilations and padding (pairs, or a name) of images of 4 by 5 pixels and windows of 3 by 3
GEOMETRIES = {
    "stride": ((2**20, 2**20), (1, 1), "SAME"),
    "largest stride": ((2**31 - 1, 2**31 - 1), (1, 1), "SAME"),
    "largest stride, no padding": ((2**31 - 1, 3), (1, 1), "VALID"),
    "dilation": ((1, 1), (2**20, 2**20), "SAME"),
    "largest dilation": ((1, 1), (2**31 - 1, 1), "SAME"),
    "dilation as wide as the image": ((1, 1), (4, 5), "SAME"),
    "stride and padding": ((2**20, 2**20), (1, 1), ((2**20, 2**20), (2**20, 2**20))),
    "largest of both": ((2**31 - 1, 2**31 - 1), (1, 1), ((2**31 - 1, 2**31 - 1), (2**31 - 1, 2**31 - 1))),
    "padding of 61 bits": ((2**31 - 1, 1), (1, 1), ((2**33, 2**33), (1, 1))),
    "nothing but padding": ((2**20, 2**20), (1, 1), ((2**19, 2**20), (2**19, 2**20))),
    "padding on one side": ((1, 1), (1, 1), ((0, 100), (60, 0))),
    "stride, dilation and padding": ((50, 7), (30, 1), ((100, 100), (90, 0))),
}


@pytest.mark.parametrize("channels", [1, 8], ids=["few channels", "channels of a kernel in C++"])
@pytest.mark.parametrize("name", GEOMETRIES)
def test_convolutions_that_are_mostly_padding(name, channels):
    strides, dilations, padding = GEOMETRIES[name]
    x, w = normal(2, 4, 5, channels), normal(3, 3, channels, 16)
    attrs = {"strides": [1, *strides, 1], "dilations": [1, *dilations, 1]}
    if isinstance(padding, str):
        pairs = [(0, 0)] * 2
        if padding == "SAME":
            pairs = [same_padding(n, 3, s, d) for n, s, d in zip((4, 5), strides, dilations)]
        attrs["padding"] = padding
    else:
        pairs = padding
        attrs |= {"padding": "EXPLICIT", "explicit_paddings": [0, 0, *padding[0], *padding[1], 0, 0]}
    expected = reference(x, w, strides, dilations, pairs)
    g = np.ones(expected[0].shape, np.float32)
    calls = [
        lambda: R.Conv2D(input=x, filter=w, **attrs),
        lambda: R.Conv2DBackpropInput(input_sizes=x.shape, filter=w, out_backprop=g, **attrs),
        lambda: R.Conv2DBackpropFilter(input=x, filter_sizes=w.shape, out_backprop=g, **attrs),
    ]
    for call, right in zip(calls, expected):
        for mode, run in modes(call).items():
            np.testing.assert_allclose(run(), right, rtol=1e-4, atol=1e-4, err_msg=mode)


@pytest.mark.parametrize("name", GEOMETRIES)
def test_depthwise_convolutions_that_are_mostly_padding(name):
    strides, dilations, padding = GEOMETRIES[name]
    if isinstance(padding, str):
        pairs = [
            same_padding(n, 3, s, d) if padding == "SAME" else (0, 0) for n, s, d in zip((4, 5), strides, dilations)
        ]
    else:
        pairs = padding
    x, w = normal(2, 4, 5, 3), normal(3, 3, 3, 1)
    full = np.zeros((3, 3, 3, 3), np.float32)
    full[..., range(3), range(3)] = w[..., 0]
    expected = reference(x, full, strides, dilations, pairs)[0]
    attrs = {"strides": [1, *strides, 1], "dilations": [1, *dilations, 1], "padding": "EXPLICIT"}
    attrs["explicit_paddings"] = [0, 0, *pairs[0], *pairs[1], 0, 0]
    for mode, run in modes(lambda: R.DepthwiseConv2dNative(input=x, filter=w, **attrs)).items():
        np.testing.assert_allclose(run(), expected, rtol=1e-4, atol=1e-4, err_msg=mode)


def test_what_is_left_out_changes_nothing():
    draw = np.random.default_rng(1)
    trimmed = 0
    for _ in range(300):
        n, k, s, d = (tuple(draw.integers(1, most, 2).tolist()) for most in (5, 4, 40, 40))
        padding = [tuple(pair) for pair in draw.integers(0, 60, (2, 2)).tolist()]
        if 0 in window_of(n, k, s, padding, d).out:
            continue
        x, w = normal(1, *n, 2), normal(*k, 2, 3)
        found = trim(x.shape, w.shape, s, d, padding)
        if found is None:
            continue
        trimmed += 1
        plain = host_xp.conv(x, w, s, padding, d)
        assert found.out_dims == plain.shape
        if found.empty:
            assert not plain.any()
            continue
        few = host_xp.conv(x, found.taps(host_xp, w), s, found.padding, d)
        np.testing.assert_allclose(found.with_all_outputs(host_xp, few), plain, rtol=1e-5, atol=1e-5)
    assert trimmed > 50


@pytest.mark.parametrize("size", [7, 2**20, 2**31 - 1])
def test_pools_larger_than_the_image(size):
    x = normal(2, 4, 5, 3)
    options = {"ksize": [1, size, size, 1], "strides": [1, size, size, 1], "padding": "SAME"}
    y, mean = x.max((1, 2), keepdims=True), x.mean((1, 2), keepdims=True)
    g = normal(2, 1, 1, 3)
    calls = {
        "MaxPool": (lambda: R.MaxPool(input=x, **options), y),
        "AvgPool": (lambda: R.AvgPool(value=x, **options), mean),
        "MaxPoolGrad": (lambda: R.MaxPoolGrad(orig_input=x, orig_output=y, grad=g, **options), g * (x == y)),
        "AvgPoolGrad": (
            lambda: R.AvgPoolGrad(orig_input_shape=x.shape, grad=g, **options),
            np.broadcast_to(g / 20, x.shape),
        ),
    }
    for name, (call, expected) in calls.items():
        for mode, run in modes(call).items():
            np.testing.assert_allclose(run(), expected, rtol=1e-5, err_msg=f"{name} {mode}")


def test_grey_dilation_whose_rates_leave_the_image():
    x, w = normal(2, 4, 5, 3), normal(3, 3, 3)
    for rate in (5, 2**20, 2**31 - 1):
        options = {"strides": [1, 1, 1, 1], "rates": [1, rate, rate, 1], "padding": "SAME"}
        calls = [
            (lambda options=options: R.Dilation2D(input=x, filter=w, **options), x + w[1, 1]),
            (lambda options=options: R.Dilation2DBackpropInput(input=x, filter=w, out_backprop=x, **options), x),
        ]
        for call, expected in calls:
            for mode, run in modes(call).items():
                np.testing.assert_allclose(run(), expected, rtol=1e-5, err_msg=mode)


# --- errors -----------------------------------------------------------------------------------------------------------

IMAGE, FILTER = tf.ones([1, 4, 4, 8]), tf.ones([3, 3, 8, 16])


def conv(strides=(1, 1), padding="SAME", dilations=(1, 1)):
    attrs = {"strides": [1, *strides, 1], "dilations": [1, *dilations, 1], "padding": padding}
    if not isinstance(padding, str):
        attrs |= {"padding": "EXPLICIT", "explicit_paddings": list(padding)}
    return lambda: R.Conv2D(input=IMAGE, filter=FILTER, **attrs)


#: a call, and what TensorFlow says: eager, and while a graph is built where that differs
REFUSED = {
    "the issue's stride": (
        conv((2**58, 1), (0, 0, 2**56, 2**59 - 2**56, 1, 1, 0, 0)),
        "Attr strides has value 2882303",
    ),
    "stride and pads of 61 bits": (conv((2**61, 2**61), (0, 0, *[2**61] * 4, 0, 0)), "Attr strides has value 2305843"),
    "stride of 32 bits": (conv((2**31, 1)), "Attr strides has value 2147483648 out of range for an int32"),
    "dilation of 32 bits": (
        conv(dilations=(1, 2**31)),
        "Attr dilations has value 2147483648 out of range for an int32",
    ),
    "stride 0": (conv((0, 0)), "Row and column strides should be larger than 0.", "Stride must be > 0, but got 0"),
    "negative stride": (
        conv((-1, 1)),
        "Row and column strides should be larger than 0.",
        "Stride must be > 0, but got -1",
    ),
    "dilation 0": (
        conv(dilations=(0, 0)),
        "Dilated rates should be larger than 0.",
        "Dilation rate must be >= 1, but got 0",
    ),
    "negative dilation": (
        conv(dilations=(1, -1)),
        "Dilated rates should be larger than 0.",
        "Dilation rate must be >= 1, but",
    ),
    "negative padding": (
        conv(padding=(0, 0, -1, -1, 1, 1, 0, 0)),
        "All elements of explicit_paddings must be nonnegative",
    ),
    "padding of the batch": (conv(padding=(1, 1, 1, 1, 1, 1, 0, 0)), "Nonzero explicit padding in the batch or depth"),
    "two pads": (conv(padding=(0, 0, 1, 1)), "explicit_paddings attribute must contain 8 values, but got: 4"),
    "pads of 62 bits": (
        conv(padding=(0, 0, 2**62, 2**62, 1, 1, 0, 0)),
        "Computed output size would be negative: -9223372036854775806",
        "Dimension size overflow from adding 4 and -9223372036854775808",
    ),
}


def of_input(sizes, g, strides=(1, 1), padding="SAME"):
    return lambda: R.Conv2DBackpropInput(
        input_sizes=sizes, filter=FILTER, out_backprop=tf.ones(g), strides=[1, *strides, 1], padding=padding
    )


def of_filter(sizes, g, strides=(1, 1), padding="SAME"):
    return lambda: R.Conv2DBackpropFilter(
        input=IMAGE, filter_sizes=sizes, out_backprop=tf.ones(g), strides=[1, *strides, 1], padding=padding
    )


def pool(name, size, strides, padding="SAME"):
    attrs = {"padding": padding} if isinstance(padding, str) else {"padding": "EXPLICIT", "explicit_paddings": padding}
    argument = {"MaxPool": "input", "AvgPool": "value", "MaxPoolWithArgmax": "input"}[name]
    return lambda: getattr(R, name)(
        **{argument: IMAGE}, ksize=[1, size, size, 1], strides=[1, strides, strides, 1], **attrs
    )


REFUSED["input gradient, stride"] = (of_input([1, 4, 4, 8], [1, 1, 1, 16], (2**61, 2**61)), "Attr strides has value")
REFUSED["filter gradient, stride"] = (of_filter([3, 3, 8, 16], [1, 1, 1, 16], (2**61, 2**61)), "Attr strides has value")
@pytest.mark.parametrize("name", REFUSED)
def test_refused_when_a_graph_is_built(name):
    call, eager, *graph = REFUSED[name]
    with pytest.raises(tf.errors.InvalidArgumentError, match=eager):
        call()
    for jit_compile in (False, True):
        with pytest.raises(ValueError, match=(graph or [eager])[0]):
            tf.function(call, autograph=False, jit_compile=jit_compile)()


EXHAUSTED, INVALID = tf.errors.ResourceExhaustedError, tf.errors.InvalidArgumentError
#: a call, and what it raises when it runs
FAILING = {
    "a result of 62 bits": (conv(padding=(0, 0, *[2**31] * 4, 0, 0)), INVALID, "more than 2\\*\\*63 - 1 elements"),
    "a result of 256 TiB": (conv(padding=(0, 0, *[2**20] * 4, 0, 0)), EXHAUSTED, None),
    "input gradient, size": (
        of_input([1, 2**31 - 1, 2**31 - 1, 8], [1, 1, 1, 16], (2**31 - 1,) * 2),
        INVALID,
        "elements",
    ),
    # more than the 128 TiB that a process can address: a machine that overcommits gives any less
    "input gradient, 512 TiB": (of_input([1, 2**22, 2**22, 8], [1, 1, 1, 16], (2**22, 2**22)), EXHAUSTED, None),
    "input gradient, other size": (of_input([1, 40, 40, 8], [1, 1, 1, 16], (4, 4)), INVALID, "out_backprop"),
    "max pool, padding": (
        pool("MaxPool", 2, 1, [0, 0, 2, 0, 0, 0, 0, 0]),
        INVALID,
        "Top padding 2 needs to be smaller than",
    ),
    "avg pool, size 0": (pool("AvgPool", 0, 1), INVALID, "ksize must be positive"),
}


@pytest.mark.parametrize("name", FAILING)
def test_refused_when_it_runs(name):
    call, kind, words = FAILING[name]
    for run in modes(call).values():
        with pytest.raises(kind, match=words):
            run()


@pytest.mark.parametrize("name", ["MaxPool", "AvgPool", "MaxPoolWithArgmax"])
@pytest.mark.parametrize("size,strides", [(2, 2**31), (2**31, 1), (2**61, 2**61)])
def test_pools_with_numbers_of_more_than_32_bits(name, size, strides):
    call = pool(name, size, strides)
    for run in modes(call).values():
        with pytest.raises((INVALID, ValueError), match="out of range for an int32"):
            run()


@pytest.mark.parametrize("dims", [(2**40, 2**40), (2**31, 2**31), (2**20, 2**42)])
def test_arrays_that_no_memory_holds_do_not_end_the_process(dims):
    """XLA ended it for those of more than 2**63 bytes."""
    for make in (lambda: tf.fill(dims, 1.0), lambda: tf.reduce_sum(tf.broadcast_to(tf.constant(1.0), dims) + 1.0)):
        for run in modes(make).values():
            with pytest.raises((INVALID, EXHAUSTED)):
                run()


def test_a_window_too_large_by_less_than_two_strides_gives_nothing():
    x, w = tf.ones([1, 2, 2, 1]), tf.ones([7, 7, 1, 1])
    assert tf.nn.conv2d(x, w, 3, "VALID").shape == (1, 0, 0, 1)
    with pytest.raises(INVALID, match="Computed output size would be negative: -1"):
        tf.nn.conv2d(x, w, 2, "VALID")


def test_the_gradient_of_a_mean_has_the_shape_of_the_means():
    with pytest.raises(INVALID, match=r"Expected grad shape to be \[1,1,3,1\], but got \[3,1,3,1\]"):
        tf.raw_ops.AvgPoolGrad(
            orig_input_shape=[1, 1, 3, 1], grad=tf.ones([3, 1, 3, 1]), ksize=[1, 1, 1, 1], strides=[1, 1, 1, 2],
            padding="VALID",
        )
