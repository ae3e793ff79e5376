"""`reflow doctor`: versions, devices, kernels and cache folders of this installation, and a fix for each problem.

A *finding* is one line of the report. It is good, or it is a problem with a fix. The exit status is 1 if there is a
problem.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

PACKAGES = (
    "jax", "jaxlib", "numpy", "ml_dtypes", "keras", "h5py", "protobuf", "tensorboard", "grpcio", "google-re2",
    "simplejpeg", "pillow",
)
OPTIONAL = {"onnx": "reading and writing ONNX models", "pandas": "data frames", "matplotlib": "pictures"}


class Finding(NamedTuple):
    """One line of the report: what was checked, what was found, and what to do if that is a problem."""

    subject: str
    found: str
    remedy: str = ""


def main(arguments: list[str]) -> int:
    """Print the report; 1 if it names a problem."""
    parser = argparse.ArgumentParser(prog="reflow doctor", description="Check this installation of Reflow.")
    parser.parse_args(arguments)
    problems = 0
    for title, look in SECTIONS.items():
        print(title)
        for finding in look():
            print(f"  {finding.subject:<18} {finding.found}")
            if finding.remedy:
                problems += 1
                print(f"  {'':<18} -> {finding.remedy}")
    print(
        "No problems found." if not problems
        else f"{problems} problem{'s' * (problems > 1)} found: see the lines with ->."
    )
    return 1 if problems else 0


def versions() -> Iterator[Finding]:
    """Reflow, Python, and the packages that it needs or can use."""
    from reflow.core import version

    yield Finding(
        "Reflow",
        f"{version.REFLOW} (as TensorFlow {version.TENSORFLOW}), in {os.path.dirname(os.path.dirname(__file__))}",
    )
    yield Finding("Python", f"{platform.python_version()}, {sys.executable}")
    for name in PACKAGES:
        found = _installed(name)
        yield Finding(name, found or "missing", "" if found else f"pip install {name}")
    for name, use in OPTIONAL.items():
        yield Finding(name, _installed(name) or f"not installed (optional: {use})")
    real = _installed("tensorflow") or _installed("tensorflow-cpu")
    if real:
        yield Finding(
            "TensorFlow", f"{real} is installed too; `import tensorflow` finds it, and Reflow under `python -m reflow`"
        )


def devices() -> Iterator[Finding]:
    """What JAX can compute on, and a GPU that it does not see."""
    import jax

    from reflow.devices import cores

    for device in jax.devices():
        yield Finding(str(device), device.device_kind)
    yield Finding("cores", str(cores.AVAILABLE))
    if jax.default_backend() == "cpu" and os.path.exists("/proc/driver/nvidia/version"):
        yield Finding(
            "NVIDIA GPU", "there is a driver, but JAX does not see the GPU",
            "pip install 'reflow[gpu]', and see docs/gpu.md",
        )


def kernels() -> Iterator[Finding]:
    """Whether the C++ kernels are in use, and why not."""
    from reflow.native import prebuilt
    from reflow.native.build import CannotBuild, built, find_compiler

    if os.environ.get("REFLOW_NATIVE") == "0":
        yield Finding("C++ kernels", "switched off by REFLOW_NATIVE=0; convolutions on the CPU are slower")
        return
    came = prebuilt.find()
    if came is not None:
        yield Finding("C++ kernels", f"in use, prebuilt: {came}")
        return
    compiler = find_compiler()
    yield Finding("C++ compiler", " ".join(compiler) if compiler else "none")
    try:
        yield Finding("C++ kernels", f"in use, from {built()}")
    except CannotBuild as error:
        remedy = (
            "`python -m reflow.native` tries again" if compiler
            else "install g++ or clang, then run `python -m reflow.native`"
        )
        yield Finding("C++ kernels", f"not in use, convolutions on the CPU are slower: {error}", remedy)


def caches() -> Iterator[Finding]:
    """The folders that keep compiled libraries: whether they can be used, and how much is in them."""
    from reflow.native.cache import Cache, NoCache, candidates

    folders = list(candidates())
    if not any(folder.exists() for folder in folders):
        yield Finding("cache", f"none yet; the first library or program that is kept goes to {folders[0]}")
    for folder in folders:
        if not folder.exists():
            continue
        try:
            Cache(folder)
        except NoCache as error:
            yield Finding("cache", str(error), f"make {folder} your own: chown -R $USER {folder}; chmod 700 {folder}")
            continue
        size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        yield Finding("cache", f"{folder}, {size / 1e6:.1f} MB")


def settings() -> Iterator[Finding]:
    """Environment variables that change what Reflow does."""
    others = ("KERAS_BACKEND", "TF_USE_LEGACY_KERAS", "TF_CONFIG", "CUDA_VISIBLE_DEVICES")
    names = [name for name in sorted(os.environ) if name.startswith(("REFLOW_", "JAX_", "XLA_")) or name in others]
    for name in names:
        yield Finding(name, os.environ[name])
    if not names:
        yield Finding("none", "no variable is set that changes what Reflow does")


SECTIONS: dict[str, Callable[[], Iterator[Finding]]] = {
    "Versions": versions, "Devices": devices, "Kernels": kernels, "Caches": caches, "Environment variables": settings,
}  # fmt: skip


def _installed(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""
