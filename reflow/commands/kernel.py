"""`reflow kernel install`: a Jupyter kernel in which `import tensorflow` imports Reflow.

A kernel is a folder with a file `kernel.json`, which says how to start it. Ours starts IPython's kernel with `python -m
reflow -m`. In other kernels `%load_ext reflow` does the same for one notebook.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
from pathlib import Path

NAME = "reflow"
TITLE = "Python (Reflow as TensorFlow)"


def main(arguments: list[str]) -> int:
    """Install or remove the kernel."""
    parser = argparse.ArgumentParser(
        prog="reflow kernel", description="A Jupyter kernel in which `import tensorflow` finds Reflow."
    )
    parser.add_argument("action", choices=("install", "remove"))
    parser.add_argument("--name", default=NAME, help=f"of the kernel's folder (by default {NAME})")
    parser.add_argument("--display-name", default=TITLE, help="what notebooks show")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--user", action="store_true", help="for this user (the default)")
    where.add_argument("--sys-prefix", action="store_true", help="for this Python environment")
    where.add_argument("--prefix", help="below a folder of your choice")
    given = parser.parse_args(arguments)
    prefix = sys.prefix if given.sys_prefix else given.prefix
    folder = (Path(prefix) / "share" / "jupyter" if prefix else user_folder()) / "kernels" / given.name
    if given.action == "remove":
        return remove(folder)
    if importlib.util.find_spec("ipykernel") is None:
        print(
            "reflow kernel: ipykernel, which the kernel needs, is not installed.\n  -> pip install 'reflow[notebook]'",
            file=sys.stderr,
        )
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kernel.json").write_text(json.dumps(spec(given.display_name), indent=1))
    print(f"Installed {given.display_name!r} in {folder}")
    return 0


def remove(folder: Path) -> int:
    """Remove the kernel, if it exists and is ours."""
    file = folder / "kernel.json"
    if not file.exists():
        print(f"reflow kernel: there is none in {folder}", file=sys.stderr)
        return 1
    file.unlink()
    folder.rmdir()
    print(f"Removed {folder}")
    return 0


def spec(title: str) -> dict:
    """What `kernel.json` says.

    >>> spec("Reflow")["argv"][1:5]
    ['-m', 'reflow', '-m', 'ipykernel_launcher']
    """
    command = [sys.executable, "-m", "reflow", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    return {"argv": command, "display_name": title, "language": "python", "metadata": {"debugger": True}}


def user_folder() -> Path:
    """Where Jupyter looks for a user's files."""
    chosen = os.environ.get("JUPYTER_DATA_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Jupyter"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "jupyter"
