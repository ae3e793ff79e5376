"""Libraries that come with a wheel, so that nothing is compiled on the user's machine.

`make wheel` compiles the kernels for each *level* of a kind of processor (three of x86-64, one of aarch64 if there is a cross compiler) and
puts them into a wheel, below `reflow/native/prebuilt/`. The best one that this processor can run is loaded. Its name holds a digest of the
sources and the version of XLA's interface: a library for other sources, or for an interface that is newer than the installed jaxlib's or
incompatible with it, is not used, and the kernels are built here (`build.py`).
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
#: libstdc++ stays outside: with it inside, a library asks for a C library as new as the compiler's (2.36 in place of 2.32)
FLAGS = ("-std=c++17", "-O3", "-fno-trapping-math", "-fPIC", "-shared", "-w", "-s")


class Level(NamedTuple):
    """A kind of processor: what the compiler calls it, and which features it must have (words of /proc/cpuinfo)."""

    march: str
    features: frozenset[str]


#: machine -> its levels, best first
LEVELS = {
    "x86_64": {
        "avx512": Level("x86-64-v4", frozenset(["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx2", "fma", "bmi2"])),
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
    """Whether this jaxlib takes a library for a version of the interface: for its own, and for earlier ones of the same major version."""
    (major, minor), (own_major, own_minor) = (map(int, version.split(".")) for version in (built_for, interface()))
    return major == own_major and minor <= own_minor


def machine() -> str:
    """The kind of this processor, by the name that wheels have for it."""
    return {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())


def compiler_for(target: str) -> list[str] | None:
    """The command of a C++ compiler for a kind of processor: the usual one for this machine's, a cross compiler for another."""
    if target == machine():
        return build.find_compiler()
    cross = shutil.which(f"{target}-linux-gnu-g++")
    return [cross] if cross else None


def compile_all(target: str, folder: Path = FOLDER) -> list[Path]:
    """Compile the libraries of all levels of a kind of processor into a folder."""
    compiler = compiler_for(target)
    if compiler is None:
        raise build.CannotBuild(f"there is no C++ compiler for {target}")
    folder.mkdir(exist_ok=True)
    made = []
    for level, (march, _) in LEVELS[target].items():
        path = folder / name(level)
        command = [*compiler, *FLAGS, f"-march={march}", f"-I{jax.ffi.include_dir()}", str(build.SOURCES[0]), "-o", str(path)]
        subprocess.run(command, check=True, timeout=build.MOST_SECONDS)
        made.append(path)
    return made


def name(level: str, version: str = "") -> str:
    """The file of a level: it names what it was made from, and for which version of the interface (by default, the installed jaxlib's)."""
    return f"kernels-{build.digest(*[source.read_bytes() for source in build.SOURCES])}-{version or interface()}-{level}.so"


def interface() -> str:
    """The version of XLA's foreign function interface, as the installed jaxlib has it: "0.3"."""
    header = (Path(jax.ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h").read_text()
    return ".".join(re.findall(r"#define XLA_FFI_API_(?:MAJOR|MINOR) (\d+)", header))


def features() -> frozenset[str]:
    """What this processor can do, in the words of /proc/cpuinfo; nothing where there is none."""
    try:
        found = re.search(r"^(?:flags|Features)\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        return frozenset()
    return frozenset(found[1].split()) if found else frozenset()


def needed_glibc(library: Path) -> int:
    """The newest C library, 2.N, that a library asks for: the wheel's tag says so (`manylinux_2_N`)."""
    return max((int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", library.read_bytes())), default=17)
