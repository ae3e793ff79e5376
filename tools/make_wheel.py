"""`make wheel`: two wheels below dist/, one with kernels for this platform, one without for all others.

    python tools/make_wheel.py

pip prefers the first where its tag fits (x86-64 with a C library as new as that of this machine). The second builds its kernels on the user's
machine, or does without.
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
    shutil.rmtree(ROOT / "build" / "lib", ignore_errors=True)  # setuptools would take files of the last wheel from there
    before = set((ROOT / "dist").glob("*.whl"))
    command = [sys.executable, "-m", "pip", "wheel", "-qq", "--disable-pip-version-check", "--no-deps", "-w", "dist", "."]
    subprocess.run([*command, *(f"--config-settings={setting}" for setting in settings)], cwd=ROOT, check=True)
    made = set((ROOT / "dist").glob("*.whl"))
    return max(made - before or made, key=lambda path: path.stat().st_mtime)


def main() -> None:
    shutil.rmtree(prebuilt.FOLDER, ignore_errors=True)
    made = [wheel()]
    if platform.system() == "Linux" and platform.machine() == "x86_64":
        try:
            libraries = prebuilt.compile_all()
            tag = f"manylinux_2_{max(map(prebuilt.needed_glibc, libraries))}_x86_64"
            made.append(wheel(f"--build-option=--plat-name={tag}"))
        finally:
            shutil.rmtree(prebuilt.FOLDER, ignore_errors=True)
    for path in made:
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
