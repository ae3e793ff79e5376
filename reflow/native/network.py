"""A small network that runs by one call into the library of kernels (`steps.h`), without XLA.

XLA takes 30 to 100 µs to call a program, a call of Python's `ctypes` one.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Sequence

import numpy as np

from reflow import native


class BadSteps(ValueError):
    """A list of steps that the library refuses."""


class Network:
    """A list of steps, checked and ready. Any number of threads may run it, each with a scratch memory of its own.

    >>> from reflow import native
    >>> if native.available():  # one step: fill the only argument, of three numbers, with ones
    ...     network, y = Network([3, 1, 0, 0, 3, 0, 1, 0, 3, 0x3F800000, 2, 0], np.zeros(0, np.float32)), np.zeros(3, np.float32)
    ...     network.run(address_of(network.scratch()), network.pointers([address_of(y)]))
    ...     assert y.tolist() == [1.0, 1.0, 1.0]
    """

    def __init__(self, steps: Sequence[int], constants: np.ndarray) -> None:
        """Raises BadSteps for a wrong list, and OSError where there is no library."""
        if not native.available():
            raise OSError("there are no kernels in C++")
        library = native.library()
        numbers, self._constants = np.asarray(steps, np.int64), np.ascontiguousarray(constants, np.float32)
        self._scratch = int(numbers[3]) if len(numbers) > 3 else 0
        error = ctypes.create_string_buffer(200)
        make = library.reflow_network
        make.restype = ctypes.c_void_p
        handle = make(_pointer(numbers), ctypes.c_int64(numbers.size), _pointer(self._constants), ctypes.c_int64(constants.size), error,
                      ctypes.c_int64(len(error)))  # fmt: skip
        if not handle:
            raise BadSteps(error.value.decode(errors="replace"))
        self._arguments = ctypes.c_void_p * max(int(numbers[1]), 1)
        self._handle = ctypes.c_void_p(handle)
        self._run = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(("reflow_network_run", library))
        weakref.finalize(self, library.reflow_network_free, self._handle)

    def scratch(self) -> np.ndarray:
        """Memory for one run at a time."""
        return np.zeros(max(self._scratch, 1), np.float32)  # the steps write what they read; these zeros are paid for once

    def pointers(self, addresses: Sequence[int]) -> ctypes.Array:
        """The addresses of the arguments, which must have the sizes that the list says, for `run`."""
        return self._arguments(*addresses)

    def run(self, scratch: int, pointers: ctypes.Array) -> None:
        """Run all steps, in a scratch memory at this address."""
        if not self._run(self._handle, scratch, pointers):
            raise MemoryError("There is no memory for a step of a network.")


def address_of(array: np.ndarray) -> int:
    """Where an array's numbers begin; `array.ctypes.data` takes three times as long."""
    return array.__array_interface__["data"][0]


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(address_of(array))
