"""Programs of TensorFlow 1 (`programs/`, whole trainings in `programs/models/`) print what TensorFlow's `tf.compat.v1`
prints."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
NAMES = sorted(p.stem for p in (HERE / "programs").rglob("*.py"))


def sections(text: str) -> dict:
    """What each program printed: name -> lines."""
    parts = re.split(r"^## (\w+)\n", text, flags=re.MULTILINE)
    return {name: body.splitlines() for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def _shape(line: str) -> str:
    """A line without its numbers and the widths of its gaps, which follow from the digits."""
    return re.sub(r" +", " ", NUMBER.sub("#", line))


@pytest.fixture(scope="module")
def printed(tmp_path_factory) -> dict:
    """What the programs print, all in one process: starting one for each would take a second and a half."""
    paths = os.pathsep.join(filter(None, [str(HERE.parents[1]), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "reflow", str(HERE / "v1_programs.py")]
    env = os.environ | {"PYTHONPATH": paths, "TMPDIR": str(tmp_path_factory.mktemp("programs"))}
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)
    assert done.returncode == 0, done.stderr
    return sections(done.stdout) | {"stderr": done.stderr}


@pytest.mark.parametrize("name", NAMES)
def test_prints_what_tensorflow_prints(printed, name):
    wanted, got = sections((HERE / "v1_programs.txt").read_text())[name], printed[name]
    assert [_shape(line) for line in got] == [_shape(line) for line in wanted], printed["stderr"]
    for mine, theirs in zip(got, wanted, strict=True):  # the last of the digits differs between processors
        numbers = [[float(n) for n in NUMBER.findall(line)] for line in (mine, theirs)]
        np.testing.assert_allclose(*numbers, rtol=2e-4, atol=2e-5, err_msg=mine)
