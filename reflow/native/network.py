"""A small network that runs in one call to the kernel library (`steps.h`), without XLA.

XLA takes 30 to 100 µs to call a program; a `ctypes` call takes one.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Sequence

import numpy as np

from reflow import native


class BadSteps(ValueError):
    """A list of steps that the library rejects."""


class Network:
    """A list of steps, validated and ready. Any number of threads can run it, each with its own scratch memory.

    >>> from reflow import native
    >>> if native.available():  # one step: fill the only argument, of three numbers, with ones
    ...     network, y = (
    ...         Network([3, 1, 0, 0, 3, 0, 1, 0, 3, 0x3F800000, 2, 0], np.zeros(0, np.float32)), np.zeros(3, np.float32)
    ...     )
    ...     network.run(address_of(network.scratch()), network.pointers([address_of(y)]))
    ...     assert y.tolist() == [1.0, 1.0, 1.0]
    """

    def __init__(self, steps: Sequence[int], constants: np.ndarray) -> None:
        """Raises BadSteps for an invalid list, and OSError if there is no library."""
        if not native.available():
            raise OSError("there are no kernels in C++")
        library = native.library()
        numbers, self._constants = np.asarray(steps, np.int64), aligned(constants)
        self._scratch = int(numbers[3]) if len(numbers) > 3 else 0
        error = ctypes.create_string_buffer(200)
        make = library.reflow_network
        make.restype = ctypes.c_void_p
        handle = make(
            _pointer(numbers), ctypes.c_int64(numbers.size), _pointer(self._constants), ctypes.c_int64(constants.size),
            error, ctypes.c_int64(len(error)),
        )
        if not handle:
            raise BadSteps(error.value.decode(errors="replace"))
        self._arguments = ctypes.c_void_p * max(int(numbers[1]), 1)
        self._handle = ctypes.c_void_p(handle)
        self._run = ctypes.CFUNCTYPE(
            ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
        )(("reflow_network_run", library))
        weakref.finalize(self, library.reflow_network_free, self._handle)

    def scratch(self) -> np.ndarray:
        """Memory for one run at a time."""
        return _room(max(self._scratch, 1))

    def pointers(self, addresses: Sequence[int]) -> ctypes.Array:
        """The addresses of the arguments, which must have the sizes given in the list, for `run`."""
        return self._arguments(*addresses)

    def run(self, scratch: int, pointers: ctypes.Array) -> None:
        """Run all steps, in a scratch memory at this address."""
        if not self._run(self._handle, scratch, pointers):
            raise MemoryError("There is no memory for a step of a network.")


LINE = 64  # bytes of a cache line: a vector that spans two lines takes two loads


def _room(size: int) -> np.ndarray:
    """Cache-aligned zeros. The steps write what they read, so the zeros are needed only once."""
    memory = np.zeros(size + LINE // 4, np.float32)
    first = -address_of(memory) % LINE // 4
    return memory[first : first + size]


def aligned(numbers: np.ndarray) -> np.ndarray:
    """The numbers, in cache-aligned memory."""
    if numbers.flags.c_contiguous and numbers.dtype == np.float32 and address_of(numbers) % LINE == 0:
        return numbers
    made = _room(numbers.size)
    made[:] = numbers
    return made


# --- weights in the layout that the kernels read

#: Winograd's algorithm F(2x2, 3x3): from three weights along an axis to four (`winograd.h`)
_TURN = np.array([[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]], np.float32)


def in_panels(matrix: np.ndarray, columns: int) -> np.ndarray:
    """A right operand [..., depth, n] in panels of `columns` (`product.h`): [..., panels, depth, columns], padded with
    zeros.

    >>> in_panels(np.array([[1, 2, 3], [4, 5, 6]]), 2).tolist()
    [[[1, 2], [4, 5]], [[3, 0], [6, 0]]]
    """
    *more, depth, n = matrix.shape
    panels = -(-n // columns)
    wide = np.zeros((*more, depth, panels * columns), matrix.dtype)
    wide[..., :n] = matrix
    return np.ascontiguousarray(np.moveaxis(wide.reshape(*more, depth, panels, columns), -2, -3))


def turned_weights(weights: np.ndarray) -> np.ndarray:
    """The weights [3, 3, channels, filters] of a convolution for Winograd's algorithm: [16, channels, filters]."""
    turned = np.einsum("ia,abcf,jb->ijcf", _TURN, weights, _TURN, optimize=True)
    return turned.reshape(16, *weights.shape[2:]).astype(np.float32)


#: limits for Winograd's algorithm: the fewest squares of 2x2 results in a call, the most weights of one tap
LEAST_SQUARES, MOST_WEIGHTS = 32, 1 << 17
DENSE, BY_CHANNEL, SQUARES = range(3)


def packed_weights(
    weights: np.ndarray, out: Sequence[int], strides: Sequence[int], dilations: Sequence[int], by_channel: bool
) -> tuple[int, np.ndarray]:
    """How a convolution step computes its result of shape `out`, and its weights in their layout (`convolve.h`)."""
    if by_channel:
        return BY_CHANNEL, weights
    columns, (height, width, channels, filters) = native.panel_columns(), weights.shape
    squares = out[0] * ((out[1] + 1) // 2) * ((out[2] + 1) // 2)
    fits = (
        (height, width) == (3, 3) and all(n == 1 for n in (*strides, *dilations))
        and not (channels % columns or filters % columns)
    )
    if fits and squares >= LEAST_SQUARES and channels * filters <= MOST_WEIGHTS:
        return SQUARES, in_panels(turned_weights(weights), columns)
    return DENSE, in_panels(weights.reshape(-1, filters), columns)


def address_of(array: np.ndarray) -> int:
    """The address of an array's data; `array.ctypes.data` takes three times as long."""
    return array.__array_interface__["data"][0]


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(address_of(array))
