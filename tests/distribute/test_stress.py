"""Short runs of `make stress` (`tools/stress.py`), which a busy machine and a killed worker must not disturb."""

import subprocess
import sys

import pytest

from tests import ROOT


@pytest.mark.parametrize(
    "part, count, found",
    [
        ("devices", 8, ["over_a_mesh: equal to one device", "as_replicas: equal to one device"]),
        ("cluster", 20, ["20 of 20 closures done"]),
    ],
)
def test_a_short_run(part, count, found):
    command = [sys.executable, "-m", "tools.stress", part, "--count", str(count)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(line in done.stdout for line in found), done.stdout
