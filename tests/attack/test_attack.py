"""A slice of the attack (`tools/attack/`), with fixed seeds, and its regressions.

Calls that once crashed, hung, or were answered wrongly.
"""

import os
import pathlib
import pickle
import subprocess
import sys

import pytest

import reflow as tf
from tests.ops.table import TABLE
from tools.attack.calls import from_text, record
from tools.attack.children import ENVIRONMENT, ROOT

REGRESSIONS = [
    line.split("\t") for line in pathlib.Path(__file__).with_name("regressions.txt").read_text().splitlines() if line
]


def attack(*arguments, folder):
    command = [sys.executable, "-m", "tools.attack", *arguments, "--seed", "20", "--folder", str(folder)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=200, cwd=ROOT, env={**os.environ, **ENVIRONMENT}
    )


@pytest.mark.parametrize("part, count", [("ops", 600), ("files", 200)])
def test_a_slice(part, count, tmp_path):
    """No crash, no hang, no error of a class that is not TensorFlow's."""
    some = {name: TABLE[name] for name in list(TABLE)[::12]}  # all take 6 seconds
    (tmp_path / "calls.pickle").write_bytes(pickle.dumps(record(some)))
    done = attack(part, "--count", str(count), "--every", "1000", folder=tmp_path)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "seed 20" in done.stdout


@pytest.mark.parametrize(
    "words, text", REGRESSIONS, ids=[f"{n}-{from_text(t).op}" for n, (_, t) in enumerate(REGRESSIONS)]
)
def test_a_regression(words, text):
    """Each is refused in TensorFlow's words, eagerly and by a function at each of its calls."""
    call = from_text(text)
    tensors = call.tensors(tf)
    function = tf.function(lambda *given: call.perform(tf, list(given)), autograph=False)
    with pytest.raises((tf.errors.OpError, ValueError, TypeError)) as caught:
        call.perform(tf, tensors)
    assert words in str(caught.value)
    for _ in range(2):
        with pytest.raises((tf.errors.OpError, ValueError, TypeError)):
            function(*tensors)
