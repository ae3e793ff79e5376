"""Libraries that ship with a wheel, so that nothing is compiled on the user's machine.

`make wheel` compiles the kernels for each *level* of an architecture (three of x86-64, one of aarch64 if there is a
cross compiler) and puts them into a wheel, below `reflow/native/prebuilt/`. The best one that this processor can run is
loaded. Its name contains a digest of the sources and the version of XLA's interface. A library for other sources, or
for an interface that is newer than jaxlib's or incompatible with it, is not used, and the kernels are built locally
(`build.py`).
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import jax

from reflow.native import build

FOLDER = Path(__file__).with_name("prebuilt")
#: libstdc++ is linked dynamically: linked statically, a library would require a C library as new as the compiler's
#: (2.36 instead of 2.32)
FLAGS = ("-std=c++17", "-O3", "-fno-trapping-math", "-fno-math-errno", "-fPIC", "-shared", "-w", "-Wno-psabi", "-s")


class Level(NamedTuple):
    """A processor level: the compiler's name for it, and the features it requires (words of /proc/cpuinfo)."""

    march: str
    features: frozenset[str]


#: machine -> its levels, best first
LEVELS = {
    "x86_64": {
        "avx512": Level(
            "x86-64-v4", frozenset(["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx2", "fma", "bmi2"])
        ),
        "avx2": Level("x86-64-v3", frozenset(["avx2", "fma", "bmi2", "f16c", "movbe"])),
        "generic": Level("x86-64-v2", frozenset(["sse4_2", "ssse3", "popcnt"])),
    },
    "aarch64": {"neon": Level("armv8-a", frozenset(["asimd"]))},
}


def find(folder: Path = FOLDER) -> Path | None:
    """The best library in the folder that this processor can run, or None."""
    if not folder.is_dir():
        return None
    have = features()
    for level, (_, needed) in LEVELS.get(machine(), {}).items():
        for path in folder.glob(name(level, "*")) if needed <= have else ():
            if _fits(path.name.split("-")[2]):
                return path
    return None


def _fits(built_for: str) -> bool:
    """Whether this jaxlib supports a library for a version of the interface.

    Its own, or an earlier one of the same major version.
    """
    (major, minor), (own_major, own_minor) = (map(int, version.split(".")) for version in (built_for, interface()))
    return major == own_major and minor <= own_minor


def machine() -> str:
    """The architecture of this processor, by its name in wheels."""
    return {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())


def compiler_for(target: str) -> list[str] | None:
    """The command of a C++ compiler for an architecture.

    The usual one for this machine's, a cross compiler for others.
    """
    if target == machine():
        return build.find_compiler()
    cross = shutil.which(f"{target}-linux-gnu-g++")
    return [cross] if cross else None


def compile_all(target: str, folder: Path = FOLDER) -> list[Path]:
    """Compile the libraries of all levels of an architecture into a folder."""
    compiler = compiler_for(target)
    if compiler is None:
        raise build.CannotBuild(f"there is no C++ compiler for {target}")
    folder.mkdir(exist_ok=True)
    made = []
    for level, (march, _) in LEVELS[target].items():
        path = folder / name(level)
        command = [
            *compiler, *FLAGS, f"-march={march}", f"-I{jax.ffi.include_dir()}", str(build.SOURCES[0]), "-o", str(path)
        ]
        subprocess.run(command, check=True, timeout=build.MOST_SECONDS)
        made.append(path)
    return made


def name(level: str, version: str = "") -> str:
    """The file name of a level: it encodes the sources and the interface's version (by default, that of jaxlib)."""
    sources = build.digest(*[source.read_bytes() for source in build.SOURCES])
    return f"kernels-{sources}-{version or interface()}-{level}.so"


def interface() -> str:
    """The version of XLA's foreign function interface in the installed jaxlib: "0.3"."""
    header = (Path(jax.ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h").read_text()
    return ".".join(re.findall(r"#define XLA_FFI_API_(?:MAJOR|MINOR) (\d+)", header))


def features() -> frozenset[str]:
    """The features of this processor, as words of /proc/cpuinfo; empty if there is none."""
    try:
        found = re.search(r"^(?:flags|Features)\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        return frozenset()
    return frozenset(found[1].split()) if found else frozenset()


def needed_glibc(library: Path) -> int:
    """The newest C library, 2.N, that a library requires: the wheel's tag says so (`manylinux_2_N`)."""
    return max((int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", library.read_bytes())), default=17)
