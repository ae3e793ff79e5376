"""Child processes that are expected to die.

Started again behind the case that killed them, killed when a case takes too long.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
#: on the processor alone: JAX's plugin for GPUs is not even loaded, which takes more addresses than a child may have
ENVIRONMENT = {
    **{"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0", "PYTHONPATH": str(ROOT)},
    **{"CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu", "REFLOW_COMPILE_AT": "2"},
}


def answers(command: list[str], facts: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What a worker says about the cases `facts["first"]` to `facts["last"]`, in order. `command` starts it; it gets
    the facts as JSON. A case that killed it, or that it did not finish in `facts["seconds"]`, is
    `{"case": …, "died": "signal 11"}` or `"hang"`."""
    first = facts["first"]
    while first < facts["last"]:
        reached = first
        for answer in _one_child(command, facts | {"first": first}):
            yield answer
            reached = answer["case"] + 1
        if reached == first:
            raise RuntimeError(f"{command} did not start: case {first}")
        first = reached


def shared_out(last: int, jobs: int) -> list[tuple[int, int]]:
    """The cases up to `last`, for so many processes: the first of each share, and the first behind it.

    >>> shared_out(10, 3)
    [(0, 3), (3, 6), (6, 10)]
    """
    bounds = [last * job // jobs for job in range(jobs + 1)]
    return [share for share in zip(bounds, bounds[1:]) if share[0] < share[1]]


def _one_child(command: list[str], facts: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The answers of one child until it ends, however it ends."""
    with tempfile.TemporaryFile("w+") as words:
        environment = {**os.environ, **ENVIRONMENT}
        child = subprocess.Popen(
            [*command, json.dumps(facts)], stdout=subprocess.PIPE, stderr=words, cwd=ROOT, env=environment
        )
        try:
            running = None
            for line in _lines(child, facts["seconds"]):
                if line.startswith("> "):
                    running = int(line[2:])
                elif line.startswith("{"):
                    running = None
                    yield json.loads(line)
            hung = child.poll() is None
            if hung and running is not None:
                child.send_signal(signal.SIGUSR1)  # `worker.tell_where`
                time.sleep(0.5)
        finally:
            child.kill()
            child.wait()
        if running is not None:
            words.seek(0)
            how = "hang" if hung else _ending(child.returncode)
            yield {"case": running, "died": how, "words": words.read()[-4000:]}
        elif child.returncode not in (0, -signal.SIGKILL):
            words.seek(0)
            print(words.read()[-2000:], file=sys.stderr)


def _lines(child: subprocess.Popen, seconds: float) -> Iterator[str]:
    """Lines until the child ends, or is silent for too long; it may take longer before the first, for its imports."""
    assert child.stdout is not None
    waiting, rest = selectors.DefaultSelector(), b""
    waiting.register(child.stdout, selectors.EVENT_READ)
    allowed = 120.0
    while waiting.select(max(0.0, allowed)):
        data = os.read(child.stdout.fileno(), 1 << 16)
        if not data:
            child.wait(10)
            return
        *whole, rest = (rest + data).split(b"\n")
        yield from (line.decode() for line in whole)
        allowed = seconds


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit {code}"
