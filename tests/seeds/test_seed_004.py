"""Seed 004: sessions, placement and GPU memory in TensorFlow 1's form, through `tf.compat.v1`."""

import os

import pytest

import reflow as tf
from tests.seeds.seed_programs import graph_mode, run  # noqa: F401 - fixtures

V1 = {"import tensorflow as tf": "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()"}
COMPAT = {**V1, "tf.compat.v1.": "tf."}


def test_add(run, graph_mode, capfd):  # noqa: F811
    assert run("004_add", replace=COMPAT).lines[-1] == "[2. 4. 6.]"
    log = capfd.readouterr().err.splitlines()
    assert sorted(log) == [
        f"{node}: /job:localhost/replica:0/task:0/device:CPU:0" for node in ("a: (Const)", "add: (AddV2)", "b: (Const)")
    ]


def test_two_devices(run, graph_mode):  # noqa: F811
    """Without a second GPU, and without soft placement, this is an error; TensorFlow says the same."""
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Cannot assign a device for operation add: {{node add}} was explicitly"
    ):
        run("004_two_devices", replace=COMPAT)


def test_soft_placement(run, graph_mode):  # noqa: F811
    run("004_soft_placement", replace=COMPAT)


def test_allow_growth(run, graph_mode):  # noqa: F811
    assert run("004_allow_growth", replace=COMPAT).config.gpu_options.allow_growth


def test_cuda_visible_devices(monkeypatch):
    """Set in the program before TensorFlow starts: no GPU with that number is there."""
    import subprocess
    import sys

    program = ("import os\nos.environ['CUDA_VISIBLE_DEVICES'] = ''\n"
               "import tensorflow as tf\nprint(tf.config.list_physical_devices('GPU'))")
    done = subprocess.run(
        [sys.executable, "-m", "reflow", "-c", program], capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [os.getcwd(), os.environ.get("PYTHONPATH")]))},
    )
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
