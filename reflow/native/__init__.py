"""Kernels in C++ for programs on the CPU: small and skinny matrix products, convolutions and their gradients.

XLA's own are good at large products and slow elsewhere: it runs many convolutions on one thread (9 ms for (16, 28, 28, 64) by
3x3x64x64, ours less than 4 on two cores), and takes 60 µs, called by itself, for a product of an LSTM's step, ours 28. `product.h`,
`winograd.h` and `depthwise.h` explain how they work, `checks.h` what they refuse; programs call them through XLA's foreign function interface.

They are built when first needed, once per machine, with whatever C++ compiler there is (6 seconds; `python -m reflow.native` does it
now), and kept in the user's cache folder (`build.py`, `cache.py`). Without a compiler, or with `REFLOW_NATIVE=0`, programs use XLA's
operations, and everything works as well.
"""

from __future__ import annotations

import ctypes
import functools
import os
import threading
from pathlib import Path

import jax

from reflow.core import logging
from reflow.native.build import CannotBuild, built

TARGETS = (
    "reflow_product",
    "reflow_convolution",
    "reflow_input_gradient",
    "reflow_filter_gradient",
    "reflow_depthwise",
    "reflow_depthwise_input_gradient",
    "reflow_depthwise_filter_gradient",
)
_lock = threading.Lock()


def available() -> bool:
    """Whether programs can call the kernels; the first question builds and loads them.

    >>> available() in (True, False)
    True
    """
    with _lock:
        return _loaded()


@functools.cache
def _loaded() -> bool:
    if os.environ.get("REFLOW_NATIVE") == "0":
        return False
    try:
        try:
            load(built())
        except OSError:  # made for other libraries than those that are here now
            load(built(again=True))
    except (CannotBuild, OSError) as error:
        logging.warn("Reflow's kernels in C++ are not used, and convolutions take longer: %s", error)
        return False
    return True


def load(path: Path):
    """Let programs call the kernels of this library."""
    library = ctypes.CDLL(str(path))
    for name in TARGETS:
        jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(getattr(library, name)), platform="cpu")
