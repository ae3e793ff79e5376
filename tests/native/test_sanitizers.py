"""A few cases of `make sanitize`: the kernels in C++ under the sanitizers, on random and hostile sizes."""

import subprocess
import sys
from pathlib import Path

import pytest

from reflow.native.build import FLAGS
from tools import fuzz_kernels

ROOT = Path(__file__).parent.parent.parent


def test_the_kernels_under_the_sanitizers():
    command = [sys.executable, "-m", "tools.fuzz_kernels", "--seed", "7", "--seconds", "4"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.stdout.startswith("skipped:"):
        pytest.skip(done.stdout)
    assert done.returncode == 0, (done.stdout + done.stderr)[-8000:]
    assert "0 wrong" in done.stdout


def test_the_sanitizers_are_asked_for():
    assert "-fsanitize=address,undefined" in fuzz_kernels.SANITIZED and set(FLAGS) - {"-O3"} < set(
        fuzz_kernels.SANITIZED
    )
