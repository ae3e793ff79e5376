"""Every Python block of the README is a program that runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)


def test_there_are_blocks():
    assert BLOCKS


@pytest.mark.parametrize("code", BLOCKS, ids=lambda code: code.splitlines()[-1][:40])
def test_block_runs(code, tmp_path):
    """In a process of its own, as a user would; what a line says it prints (`# -> …`) is printed."""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    promised = re.findall(r"# -> (.+)$", code, re.MULTILINE)
    assert [line for line in done.stdout.splitlines() if line] == promised
