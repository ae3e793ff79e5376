"""The kernels in C++ believe nobody: sizes, strides and paddings that do not fit together are errors,
and so is a lack of memory."""

import ctypes
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import jax
import numpy as np
import pytest

from reflow import native
from reflow.native import build

pytestmark = pytest.mark.skipif(not native.available(), reason="no C++ compiler here")
FLOAT32 = np.float32


def call(name, *shapes, **attributes):
    """Call a kernel as a program would whose attributes somebody chose: no Python of ours looks at them. The last shape
    is that of the result."""
    numbers = {k: v if isinstance(v, bool) else np.array(v, np.int64) for k, v in attributes.items()}
    *operands, out = shapes
    run = jax.ffi.ffi_call(name, jax.ShapeDtypeStruct(out, FLOAT32))
    return np.asarray(jax.jit(lambda *operands: run(*operands, **numbers))(*[np.ones(x, FLOAT32) for x in operands]))


def refused(name, *shapes, **attributes):
    if 0 in shapes[-1]:  # XLA calls nothing for it
        return
    with pytest.raises(jax.errors.JaxRuntimeError, match="INVALID_ARGUMENT"):
        call(name, *shapes, **attributes)


IMAGE, FILTER = (2, 4, 4, 8), (3, 3, 8, 16)
#: strides, padding and result of a convolution of IMAGE by FILTER; only the first is right
GEOMETRIES = {
    "right": ((1, 1), (1, 1, 1, 1), (2, 4, 4, 16)),
    "writes out of bounds": ((2**58, 1), (2**56, 2**59 - 2**56, 1, 1), (2, 2, 4, 16)),
    "pads of 61 bits": ((2**61, 2**61), (2**61,) * 4, (2, 3, 3, 16)),
    "pads that overflow": ((1, 1), (2**62, 2**62, 1, 1), (2, 4, 4, 16)),
    "pads of 63 bits": ((1, 1), (2**63 - 1, 2**63 - 1, 1, 1), (2, 4, 4, 16)),
    "pads whose product overflows": ((2**31 - 1, 2**31 - 1), (2**33,) * 4, (2, 9, 9, 16)),
    "pads without end": ((2**20, 2**20), (2**20,) * 4, (2, 3, 3, 16)),
    "stride 0": ((0, 1), (1, 1, 1, 1), (2, 4, 4, 16)),
    "negative stride": ((-1, 1), (1, 1, 1, 1), (2, 4, 4, 16)),
    "negative padding": ((1, 1), (-1, 3, 1, 1), (2, 4, 4, 16)),
    "window larger than the image": ((1, 1), (0, 0, 0, 0), (2, 4, 4, 16)),
    "result too high": ((1, 1), (1, 1, 1, 1), (2, 5, 4, 16)),
    "result too wide": ((1, 1), (1, 1, 1, 1), (2, 4, 5, 16)),
    "result of more images": ((1, 1), (1, 1, 1, 1), (3, 4, 4, 16)),
    "result of more channels": ((1, 1), (1, 1, 1, 1), (2, 4, 4, 17)),
    "result of other rank": ((1, 1), (1, 1, 1, 1), (2, 16, 16)),
    "result of nothing": ((1, 1), (1, 1, 1, 1), (2, 0, 4, 16)),
    "one stride": ((1,), (1, 1, 1, 1), (2, 4, 4, 16)),
    "no strides": ((), (1, 1, 1, 1), (2, 4, 4, 16)),
    "two pads": ((1, 1), (1, 1), (2, 4, 4, 16)),
}


@pytest.mark.parametrize("case", GEOMETRIES)
def test_convolutions(case):
    strides, padding, result = GEOMETRIES[case]
    numbers = {"strides": strides, "padding": padding}
    calls = [
        ("reflow_convolution", IMAGE, FILTER, result),
        ("reflow_input_gradient", result, FILTER, IMAGE),
        ("reflow_filter_gradient", IMAGE, result, FILTER),
    ]
    for args in calls:
        if case == "right":
            assert call(*args, **numbers).shape == args[-1]
        elif case in ("pads without end", "pads whose product overflows") and args[0] == "reflow_input_gradient":
            call(*args, **numbers)  # pads the result, which is small
        else:
            refused(*args, **numbers)


def test_filters_that_do_not_fit_the_channels():
    for filter_ in [(3, 3, 7, 16), (3, 3, 8, 15), (3, 3, 1, 16), (3, 8, 16), (0, 3, 8, 16)]:
        refused("reflow_convolution", IMAGE, filter_, (2, 4, 4, 16), strides=(1, 1), padding=(1, 1, 1, 1))
        refused("reflow_input_gradient", (2, 4, 4, 16), filter_, IMAGE, strides=(1, 1), padding=(1, 1, 1, 1))
        refused("reflow_filter_gradient", IMAGE, (2, 4, 4, 16), filter_, strides=(1, 1), padding=(1, 1, 1, 1))


OWN = (3, 3, 1, 8)
#: strides, padding, dilations and result of a depthwise convolution of IMAGE by OWN; only the first is right
DEPTHWISE = {
    "right": ((1, 1), (2, 2, 2, 2), (2, 2), (2, 4, 4, 8)),
    "dilation 0": ((1, 1), (0, 0, 0, 0), (0, 0), (2, 4, 4, 8)),
    "negative dilation": ((1, 1), (0, 0, 0, 0), (-1, -1), (2, 6, 6, 8)),
    "dilation of 62 bits": ((1, 1), (2**62, 2**62, 2, 2), (2**62, 2), (2, 4, 4, 8)),
    "stride of 61 bits": ((2**61, 2**61), (2**61,) * 4, (1, 1), (2, 3, 3, 8)),
    "result too high": ((1, 1), (2, 2, 2, 2), (2, 2), (2, 5, 4, 8)),
    "other channels": ((1, 1), (2, 2, 2, 2), (2, 2), (2, 4, 4, 9)),
    "one dilation": ((1, 1), (2, 2, 2, 2), (2,), (2, 4, 4, 8)),
}


@pytest.mark.parametrize("case", DEPTHWISE)
def test_depthwise_convolutions(case):
    strides, padding, dilations, result = DEPTHWISE[case]
    numbers = {"strides": strides, "padding": padding, "dilations": dilations}
    for args in [
        ("reflow_depthwise", IMAGE, OWN, result),
        ("reflow_depthwise_input_gradient", result, OWN, IMAGE),
        ("reflow_depthwise_filter_gradient", IMAGE, result, OWN),
    ]:
        if case == "right":
            assert call(*args, **numbers).shape == args[-1]
        else:
            refused(*args, **numbers)


POOLED = (2, 2, 2, 8)
#: window, strides, padding of a pool of IMAGE; shapes of its result, of the result's gradient and of the image's; only
#: the first is right
POOLS = {
    "right": ((2, 2), (2, 2), (0, 0, 0, 0), POOLED, POOLED, IMAGE),
    "window of nothing": ((0, 2), (2, 2), (0, 0, 0, 0), POOLED, POOLED, IMAGE),
    "one window": ((2,), (2, 2), (0, 0, 0, 0), POOLED, POOLED, IMAGE),
    "pads of 63 bits": ((2, 2), (2, 2), (2**63 - 1, 2**63 - 1, 0, 0), POOLED, POOLED, IMAGE),
    "result too high": ((2, 2), (2, 2), (0, 0, 0, 0), (2, 3, 2, 8), (2, 3, 2, 8), IMAGE),
    "another gradient": ((2, 2), (2, 2), (0, 0, 0, 0), POOLED, (2, 2, 2, 7), IMAGE),
    "another image": ((2, 2), (2, 2), (0, 0, 0, 0), POOLED, POOLED, (2, 4, 3, 8)),
}


@pytest.mark.parametrize("case", POOLS)
def test_the_gradient_of_a_pool(case):
    window, strides, padding, *shapes = POOLS[case]
    args, numbers = (
        ("reflow_max_pool_gradient", IMAGE, *shapes),
        {"window": window, "strides": strides, "padding": padding, "positive": False},
    )
    if case == "right":  # every pixel is a maximum, and the first of each window gets the gradient
        assert call(*args, **numbers)[0, :, :, 0].tolist() == [[1, 0, 1, 0], [0] * 4] * 2
    else:
        refused(*args, **numbers)


@pytest.mark.parametrize("case", ["right", "window of nothing", "one window", "pads of 63 bits", "result too high"])
def test_a_pool(case):
    window, strides, padding, result, *_ = POOLS[case]
    args, numbers = ("reflow_max_pool", IMAGE, result), {"window": window, "strides": strides, "padding": padding}
    if case == "right":
        assert np.all(call(*args, **numbers) == 1)
    else:
        refused(*args, **numbers)


def test_the_gradient_of_a_filter_behind_a_pool():
    """Of ones, pooled by 2x2: each window gives to its first pixel."""
    image, weights, result, pooled = (2, 4, 4, 1), (3, 3, 1, 16), (2, 4, 4, 16), (2, 2, 2, 16)
    pool = {"window": (2, 2), "pool_strides": (2, 2), "pool_padding": (0, 0, 0, 0), "positive": True}
    numbers = {"strides": (1, 1), "padding": (1, 1, 1, 1), **pool}
    name = "reflow_pooled_filter_gradient"
    got = call(name, image, result, pooled, pooled, weights, **numbers)
    assert got[..., 0, 0].tolist() == [[2, 4, 4], [4, 8, 8], [4, 8, 8]]
    refused(name, (2, 4, 4, 2), result, pooled, pooled, (3, 3, 2, 16), **numbers)  # many taps
    refused(name, image, result, pooled, (2, 2, 2, 15), weights, **numbers)
    refused(name, image, (2, 4, 5, 16), pooled, pooled, weights, **numbers)
    refused(name, image, result, pooled, pooled, weights, **numbers | {"pool_strides": (2**62, 2)})


def test_what_a_convolution_takes_over():
    numbers, result = {"strides": (1, 1), "padding": (1, 1, 1, 1)}, (2, 4, 4, 16)
    for bias in ((15,), (17,), (16, 1), ()):
        refused("reflow_finished_convolution", IMAGE, FILTER, bias, result, relu=True, **numbers)
    assert call("reflow_finished_convolution", IMAGE, FILTER, (16,), result, relu=True, **numbers).max() == 73
    for features in ((2, 4, 4, 7), (2, 4, 4), (3, 4, 4, 8)):
        refused("reflow_input_gradient_before_relu", result, FILTER, features, IMAGE, **numbers)


def test_a_depthwise_convolution_of_too_many_taps():
    image, own, result = (1, 3000, 1, 2), (3000, 1, 1, 2), (1, 3001, 1, 2)
    refused("reflow_depthwise", image, own, result, strides=(1, 1), padding=(1500, 1500, 0, 0), dilations=(1, 1))


@pytest.mark.parametrize(
    "x,y,out,flip_x,flip_y",
    [
        ((4, 5), (6, 7), (4, 7), False, False),
        ((4, 5), (5, 7), (4, 8), False, False),
        ((4, 5), (5, 7), (3, 7), False, False),
        ((4, 5), (5, 7), (5, 7), True, False),
        ((4, 5), (5, 7), (4, 5), False, True),
        ((4, 5), (5, 7), (28,), False, False),
        ((4, 5, 1), (5, 7), (4, 7), False, False),
        ((4, 5), (5,), (4, 1), False, False),
    ],
)
def test_products(x, y, out, flip_x, flip_y):
    refused("reflow_product", x, y, out, flip_x=flip_x, flip_y=flip_y)


@pytest.mark.parametrize("changed", [*range(11), None])
def test_a_step_of_adam(changed):
    sizes = [4] * 4 + [1] * 4 + [4] * 3
    if changed is not None:
        sizes[changed] += 1
    call = jax.ffi.ffi_call("reflow_adam", [jax.ShapeDtypeStruct((n,), FLOAT32) for n in sizes[8:]])
    operands = [np.ones(n, FLOAT32) for n in sizes[:8]]
    if changed is None:
        assert [x.tolist() for x in jax.jit(call)(*operands)] == [[0.5] * 4, [1.0] * 4, [1.0] * 4]
    else:
        with pytest.raises(jax.errors.JaxRuntimeError, match="INVALID_ARGUMENT: .*Adam"):
            jax.jit(call)(*operands)


def test_a_product_without_depth_is_zero():
    assert not call("reflow_product", (4, 0), (0, 7), (4, 7), flip_x=False, flip_y=False).any()


def test_large_strides_take_no_time_and_no_memory():
    """The input's gradient had a phase for each pair of residues of the strides: 2**40 here."""
    for stride in (1000, 2**20, 2**31 - 1):
        numbers = {"strides": (stride, stride), "padding": (0, 1, 1, 0)}
        got = call("reflow_input_gradient", (2, 1, 1, 16), (3, 3, 8, 16), (2, 4, 4, 8), **numbers)
        expected = np.zeros((2, 4, 4, 8), np.float32)
        expected[:, :3, :2] = 16
        np.testing.assert_array_equal(got, expected)


@pytest.fixture(scope="module")
def throwing(tmp_path_factory):
    path = tmp_path_factory.mktemp("throwing") / "throwing.so"
    source = Path(__file__).with_name("throwing.cc")
    includes = [f"-I{build.SOURCES[0].parent}", f"-I{jax.ffi.include_dir()}"]
    flags = [flag for flag in build.FLAGS if flag != "-O3"]
    subprocess.run([*build.find_compiler(), *flags, *includes, str(source), "-o", str(path)], check=True)
    function = jax.ffi.pycapsule(ctypes.CDLL(str(path)).throwing)
    jax.ffi.register_ffi_target("throwing", function, platform="cpu")

    def run(kind):
        target = jax.ffi.ffi_call("throwing", jax.ShapeDtypeStruct((), FLOAT32))
        return float(jax.jit(lambda x: target(x, kind=np.int64(kind)))(np.zeros((), FLOAT32)))

    return run


@pytest.mark.parametrize(
    "kind,words",
    [
        (1, "RESOURCE_EXHAUSTED"),
        (2, "INVALID_ARGUMENT: this one is refused"),
        (3, "RESOURCE_EXHAUSTED"),
        (4, "INTERNAL: beyond the end"),
        (5, "INTERNAL"),
    ],
)
def test_what_a_thread_throws_becomes_an_error(throwing, kind, words):
    """An exception that leaves a task of a thread pool ends the process."""
    for _ in range(20):
        with pytest.raises(jax.errors.JaxRuntimeError, match=words):
            throwing(kind)
    assert throwing(0) == 1000


def test_a_lack_of_memory_is_an_error():
    """The copy of the filter is 100 MB, and there are 60. It was written to a null pointer."""
    code = """
        import resource
        import reflow as tf

        x, w = tf.ones([1, 8, 8, 8]), tf.function(lambda: tf.ones([7, 7, 8, 64000]), jit_compile=True)()
        step = tf.function(lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"), jit_compile=True)
        step(x, w)
        used = int(next(line for line in open("/proc/self/status") if line.startswith("VmSize")).split()[1]) << 10
        resource.setrlimit(resource.RLIMIT_AS, (used + (60 << 20), -1))
        try:
            step(x, w)
        except tf.errors.ResourceExhaustedError as error:
            print("out of memory:", error)
    """
    # so that the first call leaves nothing for the second
    freed_at_once = os.environ | {"MALLOC_MMAP_THRESHOLD_": str(1 << 20)}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, env=freed_at_once)
    assert done.returncode == 0 and done.stdout.startswith("out of memory:"), (
        done.returncode,
        done.stdout,
        done.stderr,
    )
