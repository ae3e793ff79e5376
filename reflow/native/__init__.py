"""C++ kernels for the CPU: matrix products, convolutions and their gradients, pooling, Adam, functions of large arrays.

XLA's own kernels are good at large products and slow elsewhere. It runs many convolutions on one thread (9 ms for (16,
28, 28, 64) by 3x3x64x64; ours takes less than 4 on two cores), and takes 60 µs, called separately, for a product of an
LSTM's step, where ours takes 28. `product.h`, `winograd.h`, `few_taps.h`, `depthwise.h`, `pooling.h` and `updates.h`
explain how the kernels work, `checks.h` what they reject. Programs call them through XLA's foreign function interface.
Eager code calls some directly, with the GIL released: convolutions and max pools of large images (`windows.h`),
decoding of JPEG files (`jpeg.h`), resizing of images (`resize.h`), functions of large arrays (`elementwise.h`),
flipping and copying of flipped arrays (`copy.h`), hashing of long strings (`farmhash.h`), and Snappy compression
(`snappy.h`). `steps.h` and `network.py` run a whole network in one call, for the inference engine; `convolution.h` and
`convolve.h` have its convolutions.

Wheels contain compiled kernels (`prebuilt.py`). Otherwise they are built on first use, once per machine, with any
available C++ compiler (about 20 seconds; `python -m reflow.native` does it now), and kept in the user's cache folder
(`build.py`, `cache.py`). Without a compiler, or with `REFLOW_NATIVE=0`, programs use XLA's operations, and everything
still works.
"""

from __future__ import annotations

import ctypes
import functools
import math
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import jax
import numpy as np

from reflow.core import logging
from reflow.native import prebuilt
from reflow.native.build import CannotBuild, built, kept

TARGETS = (
    "reflow_product", "reflow_integer_product", "reflow_convolution", "reflow_finished_convolution",
    "reflow_input_gradient", "reflow_input_gradient_before_relu", "reflow_filter_gradient", "reflow_depthwise",
    "reflow_depthwise_input_gradient", "reflow_depthwise_filter_gradient", "reflow_pooled_filter_gradient",
    "reflow_max_pool", "reflow_max_pool_gradient", "reflow_adam",
)
ELEMENTWISE = frozenset(["exp", "log", "log1p", "sigmoid", "softplus", "tanh"])
_lock = threading.Lock()


def available() -> bool:
    """Whether programs can call the kernels; the first call builds and loads them.

    >>> available() in (True, False)
    True
    """
    with _lock:
        return _loaded()


@functools.cache
def _loaded() -> bool:
    if os.environ.get("REFLOW_NATIVE") == "0":
        return False
    came = prebuilt.find()
    if came is not None:
        try:
            load(came)
            return True
        except OSError:  # built for a newer C library
            pass
    try:
        try:
            load(built())
        except OSError:  # built for other libraries than those installed now
            load(built(again=True))
    except (CannotBuild, OSError) as error:
        logging.warn("Reflow's kernels in C++ are not used, and convolutions take longer: %s", error)
        return False
    return True


def load(path: Path):
    """Make the kernels of this library callable from programs."""
    global _library
    library = _library = ctypes.CDLL(str(path))
    for name in TARGETS:
        jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(getattr(library, name)), platform="cpu")


_library: ctypes.CDLL | None = None


def library() -> ctypes.CDLL:
    """The loaded library: for callers that have checked `available`."""
    assert _library is not None
    return _library


def multiplies_integers() -> bool:
    """Whether programs can call our product of 8-bit integers: the library is loaded, and the processor has AVX-512
    VNNI.

    >>> multiplies_integers() in (True, False)
    True
    """
    return available() and bool(library().reflow_multiplies_integers())


def panel_columns() -> int:
    """The number of columns in a panel of `product.h`, or 0 without the library.

    >>> panel_columns() in (0, 8, 16, 32)
    True
    """
    return int(library().reflow_panel_columns()) if available() else 0


_wanted = 0
_BLOCKS_WORTH_BUILDING = 2**20  # of FarmHash: they take Python 11 seconds, longer than the compiler
_WORTH_BUILDING = 64  # calls: after this many, compiling pays off


def _for_host() -> ctypes.CDLL | None:
    """The library for callers that can do without: loaded if it was compiled before, compiled after enough calls."""
    global _wanted
    if _library is None:
        _wanted += 1
        if _wanted == 1 and os.environ.get("REFLOW_NATIVE") != "0" and (prebuilt.find() or kept()):
            _wanted = _WORTH_BUILDING
        if _wanted == _WORTH_BUILDING:
            available()
    return _library


def elementwise(name: str) -> Callable[[np.ndarray, np.ndarray], None] | None:
    """The function of a contiguous float32 array that writes its results into another one; None to use NumPy.

    >>> elementwise("no_such_function") is None
    True
    """
    library = _for_host() if name in ELEMENTWISE else None
    if library is None:
        return None
    function = getattr(library, f"reflow_{name}")

    def call(x: np.ndarray, out: np.ndarray) -> None:
        function(_pointer(x), _pointer(out), ctypes.c_int64(x.size))

    return call


def resize_bilinear(images: np.ndarray, taps: Sequence[int], out: np.ndarray) -> bool:
    """Resize images [batch, height, width, channels] of bytes or floats into a contiguous float array; False to use
    NumPy.

    `taps` are the addresses of the row taps and the column taps (`ops/kernels/image/taps.py`), one for each row and
    column of `out`. The library is built after a program has resized some images.
    """
    if images.dtype not in (np.uint8, np.float32) or not images.flags.c_contiguous:
        return False
    library = _for_host()
    if library is None:
        return False
    function = library.reflow_resize_bytes if images.dtype == np.uint8 else library.reflow_resize_floats
    function.restype = ctypes.c_bool
    sizes = map(ctypes.c_int64, (*images.shape, *out.shape[1:3]))
    return function(_pointer(images), *sizes, *map(ctypes.c_void_p, taps), _pointer(out))


def decode_jpeg(data: bytes, out: np.ndarray) -> bool:
    """Decode a JPEG file into a contiguous array [height, width, 1 or 3] of bytes; False to use libjpeg-turbo.

    The pixels are those of TensorFlow's defaults (`jpeg.h`). For files of rare kinds, damaged ones, and those of
    another size it returns False, and the contents of `out` are undefined.

    >>> decode_jpeg(b"no picture", np.zeros((8, 8, 3), np.uint8))
    False
    """
    library = _for_host()
    if library is None:
        return False
    library.reflow_decode_jpeg.restype = ctypes.c_bool
    sizes = map(ctypes.c_int64, (len(data), *out.shape))
    return library.reflow_decode_jpeg(data, *sizes, _pointer(out))


def copy_strided(array: np.ndarray, out: np.ndarray) -> bool:
    """Copy an array of numbers, a flipped one for example, into another of the same shape and dtype; False to use
    NumPy.

    >>> flipped, out = np.arange(6).reshape(2, 3)[:, ::-1], np.zeros((2, 3), int)
    >>> copy_strided(flipped, out) == (out.tolist() == [[2, 1, 0], [5, 4, 3]])
    True
    """
    shape, strides, size = list(array.shape), list(array.strides), array.itemsize
    while shape and strides[-1] == size:  # merge contiguous axes into one run
        size *= shape.pop()
        strides.pop()
    if not shape or not array.size or array.dtype.hasobject or not out.flags.c_contiguous:
        return False
    library = _for_host()
    if library is None:
        return False
    numbers = (ctypes.c_int64 * (2 * len(shape)))(*shape, *strides)
    library.reflow_copy_strided(
        _pointer(array), numbers, ctypes.c_int64(len(shape)), ctypes.c_int64(size), _pointer(out)
    )
    return True


def reverse(array: np.ndarray, axis: int) -> bool:
    """Reverse a contiguous array of numbers along an axis, in place; False to use NumPy.

    >>> array = np.arange(6).reshape(2, 3)
    >>> reverse(array, 1) == (array.tolist() == [[2, 1, 0], [5, 4, 3]])
    True
    """
    library = None if array.dtype.hasobject or not array.flags.c_contiguous or not array.size else _for_host()
    if library is None:
        return False
    outer, count = math.prod(array.shape[:axis]), array.shape[axis]
    sizes = map(ctypes.c_int64, (outer, count, array.nbytes // (outer * count)))
    library.reflow_reverse(_pointer(array), *sizes)
    return True


def snappy_compress(data: bytes) -> bytes | None:
    """A Snappy block that holds these bytes; None to use Python.

    >>> len(snappy_compress(b"ab" * 1000) or b"") < 200
    True
    """
    library = _for_host()
    if library is None:
        return None
    library.reflow_snappy_compress.restype = ctypes.c_int64
    # `snappy.h: room`; every element that is copied was written
    out = np.empty(32 + len(data) + len(data) // 6, np.uint8)
    size = library.reflow_snappy_compress(data, ctypes.c_int64(len(data)), _pointer(out))
    return out[:size].tobytes()


def snappy_decompress(commands: bytes, size: int) -> bytes | None:
    """The `size` bytes that Snappy commands produce; None to use Python, also if they are damaged.

    >>> snappy_decompress(b"\\x08abc", 3) in (b"abc", None)
    True
    """
    library = _for_host() if size <= 64 * len(commands) else None  # no command produces more: a damaged length
    if library is None:
        return None
    library.reflow_snappy_decompress.restype = ctypes.c_bool
    out = np.empty(size, np.uint8)  # every element is written, or all are discarded
    sizes = ctypes.c_int64(len(commands)), ctypes.c_int64(size)
    return out.tobytes() if library.reflow_snappy_decompress(commands, sizes[0], _pointer(out), sizes[1]) else None


def farm_blocks(data: bytes | bytearray, blocks: int, state: Sequence[int]) -> list[int] | None:
    """The seven words of FarmHash's state after its loop over the first blocks of 64 bytes; None to use Python.

    >>> farm_blocks(bytes(64), 0, [1, 2, 3, 4, 5, 6, 7]) in ([1, 2, 3, 4, 5, 6, 7], None)
    True
    """
    library = _library if blocks >= _BLOCKS_WORTH_BUILDING and available() else _for_host()
    if library is None:
        return None
    words = (ctypes.c_uint64 * 7)(*state)
    library.reflow_farm_blocks(_pointer(np.frombuffer(data, np.uint8)), ctypes.c_int64(blocks), words)
    return list(words)


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
