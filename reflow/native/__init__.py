"""Kernels in C++ for programs on the CPU: small and skinny matrix products, convolutions and their gradients.

XLA's own are good at large products and slow elsewhere: it runs many convolutions on one thread (9 ms for (16, 28, 28, 64) by
3x3x64x64, ours less than 4 on two cores), and takes 60 µs, called by itself, for a product of an LSTM's step, ours 28. `product.h`,
`winograd.h` and `depthwise.h` explain how they work; programs call them through XLA's foreign function interface.

They are built when first needed, once per machine, with whatever C++ compiler there is (6 seconds; `python -m reflow.native` does it
now). Without a compiler, or with `REFLOW_NATIVE=0`, programs use XLA's operations, and everything works as well.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import logging
import os
import platform
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

import jax
import jaxlib

SOURCES = [Path(__file__).with_name(name) for name in ("kernels.cc", "product.h", "depthwise.h", "winograd.h")]
TARGETS = (
    "reflow_product",
    "reflow_convolution",
    "reflow_input_gradient",
    "reflow_filter_gradient",
    "reflow_depthwise",
    "reflow_depthwise_input_gradient",
    "reflow_depthwise_filter_gradient",
)
FLAGS = ("-std=c++17", "-O3", "-march=native", "-fPIC", "-shared", "-w")
logger = logging.getLogger("reflow")
_lock = threading.Lock()


class CannotBuild(Exception):
    """There is no compiler, or it failed."""


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
        library = ctypes.CDLL(str(built()))
    except (CannotBuild, OSError) as error:
        logger.info("The kernels in C++ are not used: %s", error)
        return False
    for name in TARGETS:
        jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(getattr(library, name)), platform="cpu")
    return True


def built() -> Path:
    """The shared library for this machine, compiled if it is not in the cache yet."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "reflow"
    library = folder / f"kernels-{_fingerprint()}.so"
    if not library.exists():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _compile(library)
        except OSError as error:
            raise CannotBuild(f"{library} cannot be written: {error}") from None
    return library


def _fingerprint() -> str:
    """Names what the library depends on: its sources, the interface's version, and the processor, whose own instructions it uses."""
    digest = hashlib.sha256()
    for source in SOURCES:
        digest.update(source.read_bytes())
    digest.update(repr((jaxlib.__version__, platform.machine(), FLAGS, _processor())).encode())
    return digest.hexdigest()[:16]


def _processor() -> list[str]:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return [platform.processor()]
    return sorted({line for line in lines if line.startswith(("flags", "Features", "model name"))})


def _compile(library: Path):
    compiler = next(filter(None, map(shutil.which, (os.environ.get("CXX") or "g++", "clang++", "c++"))), None)
    if compiler is None:
        raise CannotBuild("there is no C++ compiler")
    with tempfile.TemporaryDirectory(dir=library.parent) as folder:
        made = Path(folder) / library.name
        include = f"-I{jax.ffi.include_dir()}"
        done = subprocess.run(
            [compiler, *FLAGS, include, str(SOURCES[0]), "-o", str(made)], capture_output=True, text=True
        )
        if done.returncode:
            raise CannotBuild(f"{compiler} failed:\n{done.stderr[-2000:]}")
        os.replace(made, library)  # whole or not at all: another process may be doing the same
