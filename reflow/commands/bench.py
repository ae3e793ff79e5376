"""`reflow bench`: times common steps on this machine, and on TensorFlow if a Python with it is given.

Each side is a separate process that runs `bench_rows.py`, one after the other. `make bench`, in the source, measures
more, and more carefully.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from reflow.commands import bench_rows

ROWS = Path(bench_rows.__file__)


def main(arguments: list[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="reflow bench", description="Time common steps on this machine.")
    parser.add_argument("--against", metavar="PYTHON", help="a python that has TensorFlow: it runs the same programs")
    parser.add_argument("--only", metavar="TEXT", default="", help="rows whose name has this in it")
    parser.add_argument("--seconds", type=float, default=1.0, help="for the samples of a row (by default 1)")
    given = parser.parse_args(arguments)
    if given.against and not shutil.which(given.against):
        parser.error(f"no such python: {given.against}")
    if not any(given.only in name for name in bench_rows.ROWS):
        parser.error(f"no row has {given.only!r} in its name; there are: {', '.join(bench_rows.ROWS)}")
    program = [str(ROWS), given.only, str(given.seconds)]
    ours = times([sys.executable, "-m", "reflow", *program])
    theirs = times([given.against, *program]) if given.against else {}
    if ours is None or theirs is None:
        return 1
    print(table(ours, theirs))
    return 0


def times(command: list[str]) -> dict[str, float] | None:
    """What a process measures, row by row; None if it fails, which it says itself."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"})
    if done.returncode:
        print(f"reflow bench: {command[0]} ended with exit status {done.returncode}", file=sys.stderr)
        return None
    return dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))


def table(ours: dict[str, float], theirs: dict[str, float]) -> str:
    """The rows as text.

    >>> print(table({"a call": 2.0}, {"a call": 5.0}))
                                                    Reflow µs  TensorFlow µs  times as fast
    a call                                                2.0            5.0            2.5
    """
    lines = [f"{'':<45}{'Reflow µs':>12}" + (f"{'TensorFlow µs':>15}{'times as fast':>15}" if theirs else "")]
    for name, taken in ours.items():
        compared = f"{theirs[name]:>15,.1f}{theirs[name] / taken:>15.1f}" if name in theirs else ""
        lines.append(f"{name:<45}{taken:>12,.1f}{compared}")
    return "\n".join(lines)
