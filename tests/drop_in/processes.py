"""Python programs in processes of their own: the drop-in touches `sys.meta_path` and `__main__`."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

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


@pytest.fixture(scope="module")
def interpreter():
    """A process with the drop-in that runs statements one by one, and answers with the error's text or nothing."""
    loop = "import sys, json, traceback\nfor line in sys.stdin:\n    try:\n        exec(json.loads(line), {})\n" \
        "    except Exception:\n        print(json.dumps(traceback.format_exc()), flush=True)\n    else:\n        print('\"\"', flush=True)"
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "reflow", "-c", loop], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)})  # fmt: skip

    def run(statement):
        process.stdin.write(json.dumps(textwrap.dedent(statement)) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    yield run
    process.stdin.close()
    process.stdout.close()
    process.wait(30)
