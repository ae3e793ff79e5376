"""Python programs in processes of their own: the drop-in touches `sys.meta_path` and `__main__`."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def python(*args, cwd=None, stdin=None, **environment):
    """Run Python, with Reflow importable from anywhere; the completed process, output as text."""
    env = {k: v for k, v in os.environ.items() if k != "KERAS_BACKEND"} | environment
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, *map(str, args)]
    return subprocess.run(command, cwd=cwd, env=env, input=stdin, capture_output=True, text=True, timeout=300)


def check(code, *args, cwd=None):
    """Run a program with the drop-in active; its output."""
    done = python("-m", "reflow", "-c", textwrap.dedent(code), *args, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
