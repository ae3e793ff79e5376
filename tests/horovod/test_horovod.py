"""Horovod's API: a program run as two processes by `python -m reflow -np 2`, and alone."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import reflow as tf
from reflow.horovod import launch
from reflow.horovod import tensorflow as hvd
from tests import ROOT

PROGRAM = Path(__file__).parent / "hvd_program.py"


def run(*arguments):
    command = [sys.executable, "-m", "reflow", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)


def fitted_alone():
    """The losses and weights of the program's model, trained by one process on the whole batch."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(16, 4)), rng.normal(size=(16, 1))
    w, b, losses = np.ones((4, 1)), np.zeros(1), []
    for _ in range(3):
        wrong = x @ w + b - y
        losses.append((wrong**2).mean())
        w, b = w - 0.1 * 2 * x.T @ wrong / 16, b - 0.1 * 2 * wrong.mean(0)
    return losses, w.ravel()


def test_two_processes():
    done = run("-np", "2", str(PROGRAM))
    assert done.returncode == 0, done.stderr
    text = done.stdout
    for rank, (sent, scattered) in enumerate([([1.0, 3.0], [3.0]), ([2.0, 5.0], [6.0])]):
        sums = [
            [1.5, 3.0], [3.0, 6.0], [2.0, 4.0], [1.5, 3.0], [[0.0], [1.0], [1.0]], [2.0, 4.0], sent, scattered, 7,
            [1.5, 3.0],
        ]
        assert str(sums) in text, (rank, text)
    assert text.count("{'me': 1} [0, 1]") == 2 and text.count("[0, 1] [[0.5, 0.5], [0.5, 0.5]]") == 2
    assert text.count("[3.0, 15.0]") == 2
    losses, weights = fitted_alone()
    assert text.count(str([f"{v:.4f}" for v in losses])) == 2 and text.count(str([f"{v:.4f}" for v in weights])) == 2


def test_a_process_that_fails_ends_the_others():
    code = "import os, time; time.sleep(0 if os.environ['HOROVOD_RANK'] == '1' else 2); os._exit(3)"
    assert run("-np", "2", "-c", code).returncode == 3


def test_alone():
    hvd.shutdown()
    with pytest.raises(ValueError, match="Horovod has not been initialized; use hvd.init"):
        hvd.size()
    hvd.init()
    x = tf.constant([1.0, 2.0])
    assert hvd.size() == 1 and hvd.rank() == 0 and hvd.allreduce(x) is x and hvd.broadcast(x, 0) is x
    with pytest.raises(ValueError, match="invalid root rank 1 for 1 processes"):
        hvd.broadcast(x, 1)
    with pytest.raises(ValueError, match="supersedes average"):
        hvd.allreduce(x, average=True, op=hvd.Sum)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert hvd.DistributedGradientTape(tape).gradient(y, x).numpy().tolist() == [2.0, 4.0]
    hvd.shutdown()


def test_what_to_run_where():
    addresses = launch.addresses_on("a:2,b")
    assert addresses == ["a:29500", "a:29501", "b:29500"]
    place = launch.environment(addresses, 1)
    assert place["HOROVOD_LOCAL_RANK"] == "1" and place["HOROVOD_CROSS_SIZE"] == "2" and place["HOROVOD_SIZE"] == "3"
    lines = launch.commands(addresses, ["train.py", "a b"])
    assert (
        lines[2].startswith("b$ REFLOW_HOROVOD_ADDRESSES=a:29500,")
        and lines[2].endswith("python -m reflow train.py 'a b'")
    )
    with pytest.raises(ValueError, match="a:2,b:2. Received: 'a:x'"):
        launch.addresses_on("a:x")
    assert launch.main(["2", "--hosts", "a:1", "train.py"]) == 2 and launch.main(["x", "train.py"]) == 2
