"""The kernels in C++, built with the sanitizers of memory and of undefined behaviour, on random and on hostile sizes,
against NumPy.

make sanitize                                     # a minute from a new seed; SEED=7 SECONDS=600 to choose
.venv/bin/python -m tools.fuzz_kernels --seed 7 --seconds 60

Programs call the kernels as always, through XLA and on its threads. A *random* case is a product (of floats or of 8-bit
integers), a convolution, one of its gradients (with what may follow them: a bias, a ReLU), one of those by channels, a
max pool or its gradient, of random sizes; its result is compared with NumPy's. A *hostile* case is a random one of
which some numbers (strides, paddings, dilations, sizes of operands and results) were changed: the kernel must refuse
it, or be right if it still fits together. A case of the *host* is a function of an array, a copy of one, a hash, the
resizing of images, a JPEG file or a block of Snappy, most often damaged, a step of Adam, or one of those convolutions
and pools, which eager code calls without XLA: any bits of numbers, any size. A *network* is a list of steps, right and
then changed (`fuzz_networks.py`). An access out of bounds or an overflow ends the process with a report of the
sanitizer.

Python itself is not built with the sanitizers, so this script starts itself again with their library loaded first.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import subprocess
import sys
import time
from unittest import mock

import jax
import numpy as np
import simplejpeg
from PIL import Image

from reflow import native
from reflow.core import errors
from reflow.data.engine import snappy
from reflow.native import windows
from reflow.native.build import FLAGS, CannotBuild, built, find_compiler
from reflow.ops.kernels.image.taps import Taps
from reflow.ops.kernels.strings import hashing
from reflow.ops.xp import host as host_xp
from tools.fuzz_networks import network_case

SANITIZED = (
    *(flag for flag in FLAGS if flag != "-O3"),
    *("-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
)
STARTED = "REFLOW_SANITIZER_LOADED"
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:detect_stack_use_after_return=0",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}
POOL, POOL_GRADIENT, INTEGERS = "reflow_max_pool", "reflow_max_pool_gradient", "reflow_integer_product"
FINISHED, BEFORE_RELU = "reflow_finished_convolution", "reflow_input_gradient_before_relu"
HUGE = (0, -1, 2**20, 2**31 - 1, 2**31, 2**33, 2**40, 2**58, 2**61, 2**62, 2**63 - 1)


def start_again(arguments) -> int:
    """Run this script with the sanitizers' library; the exit status."""
    compiler = find_compiler()
    assert compiler is not None
    names = ("libasan.so", "libstdc++.so")  # the second: Python knows no C++, and the first looks for its exceptions
    asked = [subprocess.run([*compiler, f"-print-file-name={name}"], capture_output=True, text=True) for name in names]
    preload = " ".join(done.stdout.strip() for done in asked)
    environment = {**os.environ, **OPTIONS, "LD_PRELOAD": preload, STARTED: "1", "REFLOW_NATIVE": "0"}
    return subprocess.run([sys.executable, "-m", "tools.fuzz_kernels", *arguments], env=environment).returncode


# --- cases ------------------------------------------------------------------------------------------------------------


class Case:
    """A call of one kernel: shapes of its operands and its result, and attributes.

    `z` is a third operand's: of a bias, or of features.
    """

    def __init__(self, target, x, y, out, z=None, **attributes):
        self.target, self.x, self.y, self.z, self.out, self.attributes = target, x, y, z, out, attributes

    def __repr__(self):
        return f"{self.target} {self.x} {self.y} {self.z} -> {self.out} {self.attributes}"

    pools = property(lambda self: self.target in (POOL, POOL_GRADIENT))

    def operands(self, draw) -> list[np.ndarray]:
        """Arrays for the kernel: an image for a pool, with its result and its gradient for the pool's gradient,
        else two or three."""
        if self.target == INTEGERS:
            return [draw.integers(-128, 128, shape, np.int8) for shape in (self.x, self.y)]
        given = [
            draw.standard_normal(shape).astype(np.float32) for shape in (self.x, self.y, self.z) if shape is not None
        ]
        if not self.pools:
            return given
        if self.target == POOL:
            return given[:1]
        return [given[0], host_xp.max_pool(given[0], *pool_numbers(self)) if fits(self) else given[1], given[1]]

    def run(self, *operands):
        run = jax.ffi.ffi_call(
            self.target, jax.ShapeDtypeStruct(self.out, np.int32 if self.target == INTEGERS else np.float32)
        )
        attributes = {k: v if isinstance(v, bool) else np.array(v, np.int64) for k, v in self.attributes.items()}
        return np.asarray(jax.jit(lambda *operands: run(*operands, **attributes))(*operands))


def random_product(draw) -> Case:
    m, k, n = (int(draw.choice([1, 2, 5, 12, 13, 33, 64, 100, 300])) for _ in range(3))
    flip_x, flip_y = (bool(draw.integers(2)) for _ in range(2))
    if draw.random() < 0.5:
        return Case(INTEGERS, (m, k), (k, n), (m, n))
    x, y = (k, m) if flip_x else (m, k), (n, k) if flip_y else (k, n)
    return Case("reflow_product", x, y, (m, n), flip_x=flip_x, flip_y=flip_y)


def random_convolution(draw, depthwise) -> Case:
    """One of the three kernels of a family."""
    squares = not depthwise and draw.random() < 0.3  # windows for Winograd's algorithm, and channels and pixels enough
    window = [3, 3] if squares else draw.integers(1, 6, 2).tolist()
    strides = [1, 1] if squares else [int(draw.choice([1, 1, 2, 3, 7, 1000])) for _ in range(2)]
    dilations = draw.integers(1, 4, 2).tolist() if depthwise else [1, 1]
    padding = draw.integers(0, 4, (2, 2))
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilations)]
    size = (draw.integers(13 if squares else 1, 20, 2) + np.maximum(np.array(reach) - padding.sum(1), 0)).tolist()
    batch = int(draw.choice([1, 2, 3, 17]))
    channels = int(draw.choice([16, 32, 48] if squares else [1, 2, 3, 8, 19, 33]))
    filters = channels if depthwise else int(draw.choice([16, 64] if squares else [1, 4, 16, 33, 70]))
    out = [(n + p - r) // s + 1 for n, p, r, s in zip(size, padding.sum(1).tolist(), reach, strides)]
    x, w, y = (batch, *size, channels), (*window, 1 if depthwise else channels, filters), (batch, *out, filters)
    attributes = {"strides": strides, "padding": padding.ravel().tolist()}
    if depthwise:
        attributes["dilations"] = dilations
    stem = "reflow_depthwise" if depthwise else "reflow"
    kind = draw.integers(3)
    finished = not depthwise and draw.random() < 0.5
    if kind == 0 and finished:
        return Case(FINISHED, x, w, y, (filters * int(draw.integers(2)),), relu=bool(draw.integers(2)), **attributes)
    if kind == 0:
        return Case("reflow_depthwise" if depthwise else "reflow_convolution", x, w, y, **attributes)
    if kind == 1 and finished:
        return Case(BEFORE_RELU, y, w, x, x, **attributes)
    if kind == 1:
        return Case(f"{stem}_input_gradient", y, w, x, **attributes)
    return Case(f"{stem}_filter_gradient", x, y, w, **attributes)


def random_pool(draw) -> Case:
    window, strides = draw.integers(1, 5, 2), draw.integers(1, 6, 2)
    padding = draw.integers(0, window, (2, 2)).T  # every window holds some of the image
    size = draw.integers(5, 20, 2)
    out = (size + padding.sum(1) - window) // strides + 1
    batch, channels = int(draw.choice([1, 3, 9])), int(draw.choice([1, 3, 16, 19, 33]))
    x, y = (batch, *size.tolist(), channels), (batch, *out.tolist(), channels)
    attributes = {"window": window.tolist(), "strides": strides.tolist(), "padding": padding.ravel().tolist()}
    if draw.random() < 0.5:
        return Case(POOL, x, None, y, **attributes)
    return Case(POOL_GRADIENT, x, y, x, positive=bool(draw.integers(2)), **attributes)


def random_case(draw) -> Case:
    kind = draw.random()
    if kind > 0.9:
        return random_pool(draw)
    return random_product(draw) if kind < 0.2 else random_convolution(draw, depthwise=kind < 0.5)


def hostile_case(draw) -> Case:
    """A random case with one to three numbers changed."""
    case = random_case(draw)
    for _ in range(draw.integers(1, 4)):
        lists = [name for name, value in case.attributes.items() if isinstance(value, list)]
        if lists and draw.random() < 0.7:
            name = str(draw.choice(lists))
            values = list(case.attributes[name])
            if draw.random() < 0.1:
                values = values[:-1]
            elif values:
                values[draw.integers(len(values))] = (
                    int(draw.choice(HUGE)) if draw.random() < 0.8 else int(draw.integers(-3, 9))
                )
            case.attributes[name] = values
        else:
            which = str(draw.choice([name for name in ("x", "y", "z", "out") if getattr(case, name) is not None]))
            dims = list(getattr(case, which))
            if dims:
                at = int(draw.integers(len(dims)))
                dims[at] = max(0, dims[at] + int(draw.choice([-1, 1, 7])))
            setattr(case, which, tuple(dims))
    return case


# --- what is right ----------------------------------------------------------------------------------------------------


def roles(case):
    """(image, filter, result) of a convolution or of a gradient.

    A pool has a window for each channel, as a filter by channels has.
    """
    if case.pools:
        return case.x, (*case.attributes["window"], 1, case.x[-1]), case.y or case.out
    if "input_gradient" in case.target:
        return case.out, case.y, case.x
    if case.target.endswith("filter_gradient"):
        return case.x, case.out, case.y
    return case.x, case.y, case.out


def fits(case) -> bool:
    """Whether the numbers of a case belong together, in whole numbers of any size."""
    if case.target == INTEGERS:
        return case.x[1] == case.y[0] and case.out == (case.x[0], case.y[1]) and 0 not in (*case.x, *case.out)
    if case.target == "reflow_product":
        x, y = (
            s[::-1] if flip else s
            for s, flip in ((case.x, case.attributes["flip_x"]), (case.y, case.attributes["flip_y"]))
        )
        return x[1] == y[0] and case.out == (x[0], y[1]) and 0 not in case.out
    image, filter_, out = roles(case)
    if case.target == FINISHED and case.z not in ((0,), filter_[3:]) or case.target == BEFORE_RELU and case.z != image:
        return False
    if case.target == POOL_GRADIENT and case.x != case.out:
        return False
    if case.pools and (len(case.attributes["window"]) != 2 or min(case.attributes["window"]) < 1):
        return False
    strides, padding = case.attributes["strides"], case.attributes["padding"]
    dilations = case.attributes.get("dilations", [1, 1])
    if (len(strides), len(padding), len(dilations)) != (2, 4, 2) or min(*image, *filter_, *out) == 0:
        return False
    if min(*strides, *dilations) < 1 or max(*strides, *dilations) >= 2**31 or min(padding) < 0:
        return False
    if "depthwise" in case.target or case.pools:
        own = filter_[2] == 1 and filter_[3] == image[3] == out[3]
    else:
        own = filter_[2] == image[3] and filter_[3] == out[3]
    pads = [sum(padding[:2]), sum(padding[2:])]
    free = [n + p - (k - 1) * d - 1 for n, p, k, d in zip(image[1:3], pads, filter_, dilations)]
    right = [n // s + 1 for n, s in zip(free, strides)]
    return own and image[0] == out[0] and min(free) >= 0 and tuple(right) == out[1:3]


def pool_numbers(case):
    """The window, the strides and the padding of a pool."""
    return (
        case.attributes["window"], case.attributes["strides"], np.reshape(case.attributes["padding"], (2, 2)).tolist()
    )


def numpy_result(case, x, y=None, *more):
    """The result by the kernels on NumPy arrays, without those in C++."""
    with mock.patch.object(windows, "run", return_value=None):
        return _numpy_result(case, x, y, *more)


def _numpy_result(case, x, y, *more):
    if case.target == POOL:
        return host_xp.max_pool(x, *pool_numbers(case))
    if case.target == POOL_GRADIENT:
        result = host_xp.max_pool_grad(x, y, *more, *pool_numbers(case))
        return np.where(x > 0, result, 0) if case.attributes["positive"] else result
    if case.target == INTEGERS:
        return x.astype(np.int32) @ y.astype(np.int32)
    if case.target == "reflow_product":
        return host_xp.matmul(x, y, case.attributes["flip_x"], case.attributes["flip_y"])
    image, filter_, _ = roles(case)
    top, bottom, left, right = case.attributes["padding"]
    groups = image[3] if "depthwise" in case.target else 1
    numbers = (case.attributes["strides"], [(top, bottom), (left, right)], case.attributes.get("dilations"))
    if "input_gradient" in case.target:
        result = host_xp.conv_backprop_input(image, y, x, *numbers, groups)
        return np.where(more[0] > 0, result, 0) if more else result
    if case.target.endswith("filter_gradient"):
        return host_xp.conv_backprop_filter(x, filter_, y, *numbers, groups)
    result = host_xp.conv(x, y, *numbers, None, groups)
    result = result + more[0] if more and more[0].size else result
    return np.maximum(result, 0) if case.attributes.get("relu") else result


def judge(case, draw) -> str | None:
    """What is wrong with the kernel's answer; None if nothing."""
    operands = case.operands(draw)
    try:
        got = case.run(*operands)
    except jax.errors.JaxRuntimeError as error:
        return _judge_refusal(case, str(error))
    if 0 in case.out:
        return None  # XLA calls nothing for it
    if not fits(case):
        return "accepted"
    return compare(case, operands, got)


def compare(case, operands, got) -> str | None:
    """What is wrong with a result; None if nothing."""
    padding = case.attributes.get("padding", [0])
    if sum(padding) > 10_000:  # NumPy's kernels would really pad
        return None if np.isfinite(got).all() else "not finite"
    expected = numpy_result(case, *operands)
    worst = np.abs(got - expected).max() / max(1.0, np.abs(expected).max())
    return None if worst < 1e-3 else f"off by {worst}"


def _judge_refusal(case, words) -> str | None:
    if "INVALID_ARGUMENT" not in words:
        return f"failed: {words}"
    limit = "more padding" in words or "too many taps" in words or "this processor" in words
    return f"refused: {words}" if fits(case) and not limit else None


# --- what eager code calls without XLA --------------------------------------------------------------------------------

DEFINITIONS = {
    "exp": np.exp,
    "log": np.log,
    "log1p": np.log1p,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softplus": lambda x: np.logaddexp(x, 0),
    "tanh": np.tanh,
}


def host_case(draw) -> tuple[str, str | None]:
    """A call of the host: what it is, and what is wrong with its answer."""
    kinds = (
        resize_case, copy_case, hash_case, jpeg_case, snappy_case, elementwise_case, elementwise_case, windows_case,
        windows_case, adam_case,
    )
    return kinds[draw.integers(len(kinds))](draw)


def windows_case(draw) -> tuple[str, str | None]:
    """A convolution, a pool, or a gradient, of which some numbers may have been changed, on the threads of the crew."""
    case, kind = None, ""
    while kind not in windows.KINDS:
        case = (random_case if draw.random() < 0.7 else hostile_case)(draw)
        kind = case.target.removeprefix("reflow_")
    attributes, operands = dict(case.attributes), case.operands(draw)
    positive, flat = attributes.pop("positive", False), attributes.pop("padding")
    padding = [flat[i : i + 2] for i in (0, 2)]
    if positive or any(len(x.shape) != 4 for x in operands) or not all(attributes.values()):
        return str(case), None
    got = windows.run(kind, operands, case.out, padding=padding, **attributes)
    if got is None:
        limited = sum(flat) > 100 or max(case.attributes["strides"]) > 100  # a limit of `checks.h`
        return str(case), "refused" if fits(case) and not limited else None
    return str(case), compare(case, operands, got) if fits(case) else "accepted"


def adam_case(draw) -> tuple[str, str | None]:
    """A step of Adam, called by a program; one of its operands or results may have another size."""
    size = int(draw.choice([1, 3, 100, 16_384, 16_385, 50_001]))
    sizes = [size] * 4 + [1] * 4 + [size] * 3
    changed = draw.random() < 0.5
    if changed:
        sizes[draw.integers(len(sizes))] += int(draw.choice([1, 7, 16_384]))
    var, m, v, grad, *rates = operands = [draw.random(n, np.float32) for n in sizes[:8]]
    call = jax.ffi.ffi_call("reflow_adam", [jax.ShapeDtypeStruct((n,), np.float32) for n in sizes[8:]])
    what = f"adam of {sizes}"
    try:
        got = jax.jit(call)(*operands)
    except jax.errors.JaxRuntimeError as error:
        return what, None if "INVALID_ARGUMENT" in str(error) and changed else str(error)
    if changed:
        return what, "accepted"
    mean, square = m + (grad - m) * rates[1], v + (grad * grad - v) * rates[2]
    expected = var - mean * rates[0] / (np.sqrt(square) + rates[3]), mean, square
    same = all(np.allclose(a, b, 1e-4, 1e-4) for a, b in zip(got, expected, strict=True))
    return what, None if same else "wrong"


def elementwise_case(draw) -> tuple[str, str | None]:
    """A function of float32 numbers of every kind, which begin and end anywhere in memory."""
    name = str(draw.choice(sorted(DEFINITIONS)))
    size, offset = int(draw.choice([0, 1, 3, 7, 8, 9, 31, 64, 1000, 4099, 100_000])), int(draw.integers(4))
    kinds = (
        draw.integers(0, 2**32, offset + size, np.uint32).view(np.float32),
        draw.standard_normal(offset + size, np.float32),
    )
    x = np.where(draw.random(offset + size) < 0.5, *kinds)[offset:]
    out = np.full(offset + size, 7, np.float32)[offset:]
    function = native.elementwise(name)
    assert function is not None, "the library is loaded"
    function(x, out)
    with np.errstate(all="ignore"):
        expected = DEFINITIONS[name](x.astype(np.float64)).astype(np.float32)
        if name == "sigmoid":
            expected[x < -88.72] = 0  # exp(-x) is infinite in float32
        near = np.abs(out - expected) <= 3 * np.spacing(np.abs(expected))
    right = near | (out == expected) | (np.isnan(out) & np.isnan(expected))
    return f"{name} of {size} numbers", None if right.all() else f"wrong for {x[~right][:3]}: {out[~right][:3]}"


def resize_case(draw) -> tuple[str, str | None]:
    """Images between whose rows and columns others are found."""
    batch, high, wide, channels = (int(draw.choice([1, 2, 3, 5, 9, 30])) for _ in range(4))
    images = (draw.random((batch, high, wide, channels)) * 255).astype(draw.choice([np.uint8, np.float32]))

    def taps(size: int) -> Taps:
        count = int(draw.choice([1, 2, 5, 40]))
        return Taps(draw.integers(size, size=count), draw.integers(size, size=count), draw.random(count, np.float32))

    rows, columns = taps(high), taps(wide)
    expected, got = (
        images.astype(np.float32), np.zeros((batch, len(rows.first), len(columns.first), channels), np.float32)
    )
    done = native.resize_bilinear(images, rows.addresses + columns.addresses, got)
    for axis, along in ((2, columns), (1, rows)):
        a, b = np.take(expected, along.first, axis), np.take(expected, along.second, axis)
        expected = a + (b - a) * along.share.reshape(-1, *[1] * (3 - axis))
    same = done and np.allclose(got, expected, 1e-5, 1e-3)
    return f"resize {images.dtype} {images.shape} to {expected.shape}", None if same else "wrong"


def copy_case(draw) -> tuple[str, str | None]:
    """A copy of an array that was sliced, flipped and transposed."""
    dims = draw.choice([1, 2, 3, 5, 8, 33], int(draw.integers(1, 5))).tolist()
    whole = draw.integers(0, 100, dims).astype(draw.choice([np.uint8, np.int16, np.float32, np.complex128]))
    steps = tuple(slice(None, None, int(draw.choice([-2, -1, 1, 1, 3]))) for _ in dims)
    array = whole[steps].transpose(draw.permutation(len(dims)))
    out = np.full(array.shape, 7, array.dtype)
    same = not native.copy_strided(array, out) or np.array_equal(array, out)
    axis = int(draw.integers(len(dims)))
    expected = np.flip(whole, axis).copy()
    turned = native.reverse(whole, axis) and np.array_equal(whole, expected)
    return f"copy {array.dtype} {array.shape} by {array.strides}, reverse {axis}", None if same and turned else "wrong"


def hash_case(draw) -> tuple[str, str | None]:
    """The hash of a long string."""
    data = draw.bytes(hashing.LONG + int(draw.integers(65, 200)))
    ours = hashing.farmhash(data)
    with mock.patch.object(native, "farm_blocks", return_value=None):
        expected = hashing.farmhash(data)
    return f"hash of {len(data)} bytes", None if ours == expected else "wrong"


def snappy_case(draw) -> tuple[str, str | None]:
    """Bytes that are compressed and decompressed, then with the block damaged."""
    size = int(draw.choice([0, 1, 3, 60, 70, 300, 5000, 70_000]))
    data = draw.integers(0, int(draw.choice([1, 3, 256])), size).astype(np.uint8).tobytes()
    block = snappy.compress(data)
    problem = None if snappy.decompress(block) == data else "wrong"
    for _ in range(20):
        changed = damaged(draw, block)
        made = native.snappy_decompress(changed, int(draw.choice([0, 1, size, size + 1])))
        with (
            mock.patch.object(native, "snappy_decompress", return_value=None), contextlib.suppress(errors.DataLossError)
        ):
            if made is not None and snappy.decompress(_varint(len(made)) + changed) != made:
                problem = "another result than Python's"
    return f"Snappy of {size} bytes", problem


def _varint(size: int) -> bytes:
    head = bytearray()
    while size > 127:
        head.append(size & 127 | 128)
        size >>= 7
    return bytes([*head, size])


def jpeg_case(draw) -> tuple[str, str | None]:
    """A JPEG file, most often damaged.

    Pixels of the kernel are those of libjpeg-turbo, which has nothing to warn about.
    """
    high, wide = (int(draw.integers(1, 70)) for _ in range(2))
    pixels = (
        draw.integers(0, 256, (high, wide, 3)) if draw.random() < 0.5
        else np.full((high, wide, 3), draw.integers(0, 256, 3))
    )
    options = {
        "quality": int(draw.choice([10, 75, 95, 100])), "subsampling": int(draw.integers(3)),
        "optimize": bool(draw.random() < 0.3),
    }
    if draw.random() < 0.4:
        options["restart_marker_blocks"] = int(draw.integers(1, 5))
    file = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).convert(str(draw.choice(["RGB", "L"]))).save(file, "JPEG", **options)
    problem = None
    for _ in range(50):
        data, channels = damaged(draw, file.getvalue()), int(draw.choice([1, 3]))
        out = np.full((high, wide, channels), 7, np.uint8)
        if not native.decode_jpeg(data, out):
            continue
        try:
            expected = simplejpeg.decode_jpeg(
                data, "RGB" if channels == 3 else "GRAY", fastdct=True, fastupsample=False
            )
        except ValueError as error:
            problem = f"accepted what libjpeg-turbo does not: {error}"
        else:
            problem = problem if np.array_equal(out, expected) else "wrong pixels"
    return f"JPEG of {high} by {wide}, {options}", problem


def damaged(draw, data: bytes) -> bytes:
    """A file with bytes changed, gone or added, half of the time among its tables."""
    changed = bytearray(data)
    for _ in range(int(draw.integers(4))):
        at = int(draw.integers(len(changed) if draw.random() < 0.5 else min(len(changed), 650)))
        kind = draw.random()
        if kind < 0.7:
            changed[at] = int(draw.choice([0, 1, 255, changed[at] ^ 1 << draw.integers(8)]))
        elif kind < 0.9:
            changed[at : at + int(draw.integers(9))] = draw.bytes(int(draw.integers(1, 9)))
        else:
            del changed[at + 1 :]
    return bytes(changed)


# --- the run ----------------------------------------------------------------------------------------------------------


def fuzz(seed: int, seconds: float, least: int) -> int:
    native.load(built(SANITIZED))
    draw = np.random.default_rng(seed)
    counts, wrong, end = {"random": 0, "hostile": 0, "host": 0, "network": 0}, 0, time.monotonic() + seconds
    while time.monotonic() < end or sum(counts.values()) < least:
        kind = str(draw.choice(list(counts)))
        if kind in ("host", "network"):
            with mock.patch.object(native, "available", return_value=True):  # the library that was loaded above
                case, problem = (host_case if kind == "host" else network_case)(draw)
        else:
            case = random_case(draw) if kind == "random" else hostile_case(draw)
            problem = judge(case, draw)
        if problem is not None:
            wrong += 1
            print(f"case {sum(counts.values())} ({kind}): {case}: {problem}", flush=True)
        counts[kind] += 1
        if sum(counts.values()) % 50 == 0:
            jax.clear_caches()  # each case is a program of its own
    told = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    print(f"seed {seed}: {told} cases, {wrong} wrong", flush=True)
    return int(wrong > 0)


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzz the kernels in C++ under the sanitizers.")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--least", type=int, default=20, help="cases, however long they take")
    args = parser.parse_args()
    if not os.environ.get(STARTED):
        try:
            built(SANITIZED)
        except CannotBuild as error:
            print(f"skipped: the kernels cannot be built with sanitizers: {error}")
            return 0
        seed = args.seed if args.seed is not None else time.time_ns() % 2**32
        return start_again(["--seed", str(seed), "--seconds", str(args.seconds), "--least", str(args.least)])
    return fuzz(args.seed, args.seconds, args.least)


if __name__ == "__main__":
    sys.exit(main())
