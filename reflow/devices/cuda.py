"""NVIDIA GPUs: their number and properties, and how JAX is configured to use them.

The settings of `tf.config` are passed to JAX in the form that it reads when its GPU client starts: environment
variables for memory, a configuration value for the visible devices. TensorFlow allocates nearly all memory of a GPU at
once, unless memory growth is enabled; by default JAX would allocate three quarters.
"""

from __future__ import annotations

import ctypes
import functools
import glob
import importlib.util
import os
import re
import sys
from typing import Any, NamedTuple

PLUGINS = ("jax_cuda13_plugin", "jax_cuda12_plugin", "jax_rocm7_plugin", "jax_rocm60_plugin")
PREALLOCATE, FRACTION = "XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_PYTHON_CLIENT_MEM_FRACTION"
FRACTION_TOO = "XLA_CLIENT_MEM_FRACTION"  # newer name of the same; JAX rejects both together
#: left to CUDA itself (context, kernels, library handles) when all memory is taken: TensorFlow leaves as much
RESERVE_BYTES, RESERVE_PART = 1536 << 20, 0.05
_CAPABILITY = (75, 76)  # cuDeviceGetAttribute: compute capability, major and minor


class Gpu(NamedTuple):
    """What the CUDA driver says about a GPU."""

    name: str
    capability: tuple
    memory: int  # bytes


@functools.cache
def _hardware() -> int:
    """How many GPUs the system shows, if JAX has a plugin for them."""
    if not any(map(_installed, PLUGINS)):
        return 0
    return len([p for p in glob.glob("/dev/nvidia*") if re.fullmatch(r"/dev/nvidia\d+", p)])


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def visible(found: int, wanted: str | None) -> int:
    """How many of `found` GPUs `CUDA_VISIBLE_DEVICES` leaves: CUDA stops reading at the first that does not exist.

    >>> visible(4, "2,3"), visible(4, "0,-1,1"), visible(2, ""), visible(2, None)
    (2, 1, 0, 2)
    """
    if wanted is None:
        return found
    count = 0
    for entry in wanted.split(","):
        entry = entry.strip()
        if not entry or (entry.lstrip("-").isdigit() and not 0 <= int(entry) < found):
            break
        count += 1
    return min(found, count)


@functools.cache
def described() -> tuple:
    """The visible GPUs, from the CUDA driver (100 ms; no memory is taken)."""
    try:
        lib = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return ()
    count, handle, number = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    name, size = ctypes.create_string_buffer(256), ctypes.c_size_t()
    if lib.cuInit(0) or lib.cuDeviceGetCount(ctypes.byref(count)):
        return ()
    found = []
    for i in range(count.value):
        lib.cuDeviceGet(ctypes.byref(handle), i)
        lib.cuDeviceGetName(name, len(name), handle)
        lib.cuDeviceTotalMem_v2(ctypes.byref(size), handle)
        capability = []
        for attribute in _CAPABILITY:
            lib.cuDeviceGetAttribute(ctypes.byref(number), attribute, handle)
            capability.append(number.value)
        found.append(Gpu(name.value.decode(), tuple(capability), size.value))
    return tuple(found)


def fraction(memory: int, limit: int | None) -> float:
    """The part of a GPU's memory that JAX may take: the limit, or nearly all.

    >>> fraction(100 << 30, None), fraction(8 << 30, 1 << 30)
    (0.95, 0.125)
    """
    usable = memory - max(RESERVE_BYTES, int(memory * RESERVE_PART))
    return round(max(usable, memory // 2) / memory, 6) if limit is None else min(limit / memory, 1.0)


def forced_growth() -> bool | None:
    """What `TF_FORCE_GPU_ALLOW_GROWTH` says, or None."""
    return {"true": True, "1": True, "false": False, "0": False}.get(
        os.environ.get("TF_FORCE_GPU_ALLOW_GROWTH", "").lower()
    )


class Cuda:
    """The GPUs of this machine. Tests put another object of this interface in `device_settings.driver`."""

    def possible(self) -> bool:
        """Whether there can be GPUs, whatever the environment will say when the runtime starts."""
        return _hardware() > 0

    def count(self) -> int:
        """How many GPUs JAX would find now."""
        platforms = os.environ.get("JAX_PLATFORMS", "")
        if platforms and not {"cuda", "gpu", "rocm"} & set(platforms.split(",")):
            return 0
        return visible(_hardware(), os.environ.get("CUDA_VISIBLE_DEVICES")) if _hardware() else 0

    def details(self, index: int) -> dict:
        """The name and the compute capability of a GPU."""
        found = described()
        if index >= len(found):
            return {}
        return {"device_name": found[index].name, "compute_capability": found[index].capability}

    def hide(self) -> None:
        """No GPU is visible: JAX must not start one, since it would take its memory."""
        if not self.possible():
            return
        if "jax" not in sys.modules:
            os.environ["JAX_PLATFORMS"] = "cpu"
            return
        import jax

        jax.config.update("jax_platforms", "cpu")

    def devices(self, indices: list, growth: bool, limit: int | None) -> list:
        """JAX's devices for the GPUs with these numbers, with its client started under these memory settings."""
        self.settle_memory(growth, limit)
        import jax

        if len(indices) != self.count():
            jax.config.update("jax_cuda_visible_devices", ",".join(map(str, sorted(indices))))
        found: list[Any] = jax.local_devices(backend="gpu")
        if len(found) == len(indices):  # JAX numbers those that it sees by their order in the machine
            return [found[sorted(indices).index(i)] for i in indices]
        return [found[i] for i in indices]

    @staticmethod
    def settle_memory(growth: bool, limit: int | None) -> None:
        """Set what JAX reads when its client starts.

        The user's own environment takes precedence, unless `tf.config` disagrees.
        """
        forced = forced_growth()
        growth = growth if forced is None else forced
        if growth:
            os.environ[PREALLOCATE] = "false"
        found = described()
        if not found or (limit is None and (FRACTION in os.environ or FRACTION_TOO in os.environ)):
            return
        os.environ.pop(FRACTION_TOO, None)
        os.environ[FRACTION] = repr(fraction(min(g.memory for g in found), limit))
