"""Programs of several processes on this machine: how tests start them, and the Keras program that they run."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

from reflow.distribute.server import free_addresses as free_addresses
from tests import ROOT


def tf_config(cluster: dict, job: str, index: int) -> str:
    return json.dumps({"cluster": cluster, "task": {"type": job, "index": index}})


def start(program: str | Path, *arguments: str, config: str = "", **variables: str) -> subprocess.Popen:
    """Start a program (a file, or its text) with Reflow under the name of TensorFlow."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TF_CONFIG": config} | variables
    what = [str(program)] if isinstance(program, Path) else ["-c", program]
    command = [sys.executable, "-m", "reflow", *what, *arguments]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )


@contextlib.contextmanager
def started(*processes: subprocess.Popen):
    """Whatever happens, none of the processes is left behind."""
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.communicate()
