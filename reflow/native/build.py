"""Compiles the kernels with any available C++ compiler, once per machine and compiler.

The library's name encodes what it was built from and for: one part for the machine (sources, flags, jaxlib, processor,
C library) and one for the compiler. A new compiler builds a new library, or tries again if the old one failed. If the
compiler is gone, a library that it built for this machine is still used.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

import jax
import jaxlib

from reflow.native.cache import Cache, NoCache, candidates

SOURCES = [
    Path(__file__).with_name(name)
    for name in (
        "kernels.cc", "checks.h", "product.h", "depthwise.h", "winograd.h", "pooling.h", "resize.h", "elementwise.h",
        "copy.h", "farmhash.h", "jpeg.h", "jpeg_pixels.h", "snappy.h", "crew.h", "few_taps.h", "integers.h", "steps.h",
        "network.h", "convolution.h", "convolve.h", "windows.h", "updates.h",
    )
]
#: Without traps, a choice between two computed numbers becomes a vector instruction (`elementwise.h`); without `errno`,
#: so does a square root (`updates.h`).
FLAGS = ("-std=c++17", "-O3", "-fno-trapping-math", "-fno-math-errno", "-march=native", "-fPIC", "-shared", "-w")
MOST_SECONDS = 600  # in case a compiler never terminates; it takes 6


class CannotBuild(Exception):
    """There is no compiler, or it failed, or the library cannot be stored."""


def built(flags: tuple[str, ...] = FLAGS, again: bool = False) -> Path:
    """The shared library for this machine, compiled if it is not in the cache yet.

    `again`: compile even if it is in the cache, or if this compiler is known to fail.
    """
    if not hasattr(os, "geteuid"):
        raise CannotBuild("files have no owners on this system, so nobody's library could be trusted")
    reasons = []
    for folder in candidates():
        try:
            return _built(Cache(folder), flags, again)
        except (NoCache, OSError) as error:
            reasons.append(str(error))
    raise CannotBuild(f"there is nowhere to keep them: {'; '.join(reasons)}")


def kept() -> Path | None:
    """The shared library for this machine if any compiler has built it before; nothing is compiled."""
    if not hasattr(os, "geteuid"):
        return None
    for folder in candidates():
        try:
            found = Cache(folder).newest(f"kernels-{machine_key(FLAGS)}-*.so")
        except (NoCache, OSError):
            continue
        if found is not None:
            return found
    return None


def _built(cache: Cache, flags, again) -> Path:
    machine, compiler = machine_key(flags), find_compiler()
    if compiler is None:
        found = cache.newest(f"kernels-{machine}-*.so")
        if found is None:
            raise CannotBuild("there is no C++ compiler")
        return found
    name = f"kernels-{machine}-{_version(compiler)}"
    found = None if again else _known(cache, name)
    if found is not None:
        return found
    with cache.lock():
        found = None if again else _known(cache, name)  # another process may have built it meanwhile
        return found or cache.keep(f"{name}.so", _compiled(cache, name, compiler, flags))


def _known(cache: Cache, name: str) -> Path | None:
    """A library from the cache; CannotBuild if this compiler is known to fail."""
    words = cache.read(f"{name}.failed")
    if words is not None:
        hint = f"{cache.folder / name}.failed remembers this; `python -m reflow.native` tries again"
        raise CannotBuild(f"{words.decode(errors='replace')}\n({hint})")
    return cache.find(f"{name}.so")


def _compiled(cache: Cache, name: str, compiler: list[str], flags) -> bytes:
    with tempfile.TemporaryDirectory(dir=cache.folder) as folder:
        made = Path(folder) / "kernels.so"
        command = [*compiler, *flags, f"-I{jax.ffi.include_dir()}", str(SOURCES[0]), "-o", str(made)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                timeout=MOST_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise CannotBuild(f"{compiler[0]} did not end within {MOST_SECONDS} seconds") from None
        if done.returncode == 0:
            cache.remove(f"{name}.failed")
            return made.read_bytes()
    words = f"{shlex.join(compiler)} failed:\n{done.stderr[-2000:]}"
    if done.returncode > 0:  # not killed by a signal, which says nothing about the next attempt
        cache.write(f"{name}.failed", words.encode())
    raise CannotBuild(words)


def find_compiler() -> list[str] | None:
    """The command of the C++ compiler: `CXX`, which may have arguments, or one of the usual names."""
    for words in (shlex.split(os.environ.get("CXX") or ""), ["g++"], ["clang++"], ["c++"]):
        path = shutil.which(words[0]) if words else None
        if path is not None:
            return [path, *words[1:]]
    return None


def _version(compiler: list[str]) -> str:
    """Identifies the compiler by its command and its version text."""
    try:
        said = subprocess.run(
            [*compiler, "--version"], capture_output=True, stdin=subprocess.DEVNULL, timeout=60
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        said = b""
    return digest(repr(compiler).encode(), said)


def machine_key(flags) -> str:
    """Identifies what the library depends on besides the compiler: its sources, the interface's version, the C library,
    and the processor, whose specific instructions it uses.
    """
    facts = (jaxlib.__version__, platform.machine(), flags, _processor(), _c_library())
    return digest(*[source.read_bytes() for source in SOURCES], repr(facts).encode())


def digest(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def _processor() -> list[str]:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return [platform.processor()]
    return sorted({line for line in lines if line.startswith(("flags", "Features", "model name"))})


def _c_library() -> str:
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, ValueError):  # another C library
        return platform.release()
