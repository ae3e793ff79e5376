"""A process with the drop-in, for many short statements."""

import json
import os
import subprocess
import sys
import textwrap

import pytest

from tests.drop_in.processes import ROOT


@pytest.fixture(scope="module")
def interpreter():
    """A process with the drop-in that runs statements one by one, and answers with the error's text or nothing."""
    loop = (
        "import sys, json, traceback\nfor line in sys.stdin:\n    try:\n        exec(json.loads(line), {})\n"
        "    except Exception:\n        print(json.dumps(traceback.format_exc()), flush=True)\n    else:\n        "
        "print('\"\"', flush=True)"
    )
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "reflow", "-c", loop], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)})  # fmt: skip

    def run(statement):
        process.stdin.write(json.dumps(textwrap.dedent(statement)) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    yield run
    process.stdin.close()
    process.stdout.close()
    process.wait(30)
