"""Programs of several processes on this machine: how tests start them, and the Keras program that they run."""

import contextlib
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

from tests import ROOT


def free_addresses(count: int) -> list[str]:
    """Addresses of this machine that nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    addresses = [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]
    for one in sockets:
        one.close()
    return addresses


def tf_config(cluster: dict, job: str, index: int) -> str:
    return json.dumps({"cluster": cluster, "task": {"type": job, "index": index}})


def start(program: str | Path, *arguments: str, config: str = "", **variables: str) -> subprocess.Popen:
    """Start a program (a file, or its text) with Reflow under the name of TensorFlow."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TF_CONFIG": config} | variables
    what = [str(program)] if isinstance(program, Path) else ["-c", program]
    command = [sys.executable, "-m", "reflow", *what, *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)


@contextlib.contextmanager
def started(*processes: subprocess.Popen):
    """Whatever happens, none of the processes is left behind."""
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.communicate()
