"""Whole programs as users of TensorFlow write them, against what TensorFlow 2.21 prints
(`tools/golden/function_programs.py`)."""

import json
import subprocess
import sys

import pytest

import reflow as tf
from tests import as_python_311
from tools.golden import function_programs as golden

EXPECTED = json.loads(golden.GOLDEN.read_text())


def test_all_are_recorded():
    assert sorted(EXPECTED) == golden.NAMES


@pytest.mark.parametrize("name", golden.NAMES)
def test_prints_what_tensorflow_prints(name):
    try:
        assert [as_python_311(line) for line in golden.lines_of(name, "reflow")] == EXPECTED[name]
    finally:
        tf.random.set_seed(None)


@pytest.mark.parametrize("name", ["beam_search"])
def test_as_it_stands(name):
    command = [sys.executable, "-m", "reflow", str(golden.FOLDER / f"{name}.py")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert [line.rstrip() for line in ran.stdout.splitlines()] == EXPECTED[name]
