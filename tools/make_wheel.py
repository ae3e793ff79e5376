"""`make wheel`: wheels below dist/, one with kernels for each kind of processor that there is a compiler for, one
without for all others.

    python tools/make_wheel.py

pip prefers one with kernels where its tag fits (the processor, and a C library as new as that of this machine). The
last builds its kernels on the user's machine, or does without. For aarch64 a cross compiler is needed
(`g++-aarch64-linux-gnu` of Debian).
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from reflow.native import prebuilt  # noqa: E402


def wheel(*settings: str) -> Path:
    """Build a wheel; where it is."""
    # setuptools would take files of the last wheel from there
    shutil.rmtree(ROOT / "build" / "lib", ignore_errors=True)
    before = set((ROOT / "dist").glob("*.whl"))
    command = [
        sys.executable, "-m", "pip", "wheel", "-qq", "--disable-pip-version-check", "--no-deps", "-w", "dist", "."
    ]
    subprocess.run([*command, *(f"--config-settings={setting}" for setting in settings)], cwd=ROOT, check=True)
    made = set((ROOT / "dist").glob("*.whl"))
    return max(made - before or made, key=lambda path: path.stat().st_mtime)


def main() -> None:
    shutil.rmtree(prebuilt.FOLDER, ignore_errors=True)
    made = [wheel()]
    for machine in prebuilt.LEVELS if platform.system() == "Linux" else ():
        if prebuilt.compiler_for(machine) is None:
            print(f"no kernels for {machine}: there is no compiler for it", file=sys.stderr)
            continue
        try:
            libraries = prebuilt.compile_all(machine)
            made.append(
                wheel(f"--build-option=--plat-name=manylinux_2_{max(map(prebuilt.needed_glibc, libraries))}_{machine}")
            )
        finally:
            shutil.rmtree(prebuilt.FOLDER, ignore_errors=True)
    for path in made:
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
