"""Seed 000: devices (`tf.config`, `tf.device`, placement, memory) and a model built in `strategy.scope()`.

The document's sessions run in a process each, since devices are settled when the runtime starts. What needs a GPU runs
where there is one.
"""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from tests.seeds.seed_programs import run  # noqa: F401 - a fixture

import tensorflow as tf  # isort: skip

ROOT = Path(__file__).resolve().parents[2]
GPUS = len(tf.config.list_physical_devices("GPU"))
CPU0 = "/job:localhost/replica:0/task:0/device:CPU:0"
MATRICES = """
    a = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    b = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    c = tf.matmul(a, b)
"""
needs_gpu = pytest.mark.skipif(not GPUS, reason="no GPU here")


def session(code, **environment):
    """(output, log) of a program with the drop-in."""
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    env = os.environ | {"PYTHONPATH": paths} | environment
    program = "import tensorflow as tf\n" + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-m", "reflow", "-c", program], capture_output=True, text=True, env=env,
                          timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_physical_devices():
    found = tf.config.list_physical_devices()
    assert repr(found[0]) == "PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')"
    assert [d.device_type for d in found] == ["CPU"] + ["GPU"] * GPUS


def test_placement_is_logged():
    _, log = session("tf.debugging.set_log_device_placement(True)\nif 1:" + MATRICES)
    where = CPU0 if not GPUS else CPU0.replace("CPU", "GPU")
    assert f"Executing op MatMul in device {where}" in log


def test_device_scope():
    out, log = session("tf.debugging.set_log_device_placement(True)\nwith tf.device('/CPU:0'):" + MATRICES
                       + "\nprint(a.device, c.device)\nprint(c.numpy().tolist())")
    assert out == f"{CPU0} {CPU0}\n[[22.0, 28.0], [49.0, 64.0]]\n"
    assert f"Executing op MatMul in device {CPU0}" in log


def test_device_that_does_not_exist():
    out, _ = session("""
        tf.config.set_soft_device_placement(False)
        a = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        b = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        try:
            with tf.device('/GPU:7'):
                tf.matmul(a, b)
        except tf.errors.InvalidArgumentError as error:
            print(error)
        tf.config.set_soft_device_placement(True)
        with tf.device('/GPU:7'):
            c = tf.matmul(a, b)
        print(c.numpy().tolist())
    """)
    assert "GPU:7" in out and out.splitlines()[-1] == "[[22.0, 28.0], [49.0, 64.0]]"


def test_no_gpus_visible():
    out, _ = session("tf.config.set_visible_devices([], 'GPU')\nprint(tf.config.list_logical_devices())")
    assert out == "[LogicalDevice(name='/device:CPU:0', device_type='CPU')]\n"


def test_memory_growth_loop():
    out, _ = session("""
        gpus = tf.config.list_physical_devices('GPU')
        if gpus:
            for gpu in gpus:
                tf.config.experimental.set_memory_growth(gpu, True)
        print(len(tf.config.list_logical_devices('GPU')))
    """)
    assert out == f"{GPUS}\n"


@needs_gpu
def test_memory_limit():
    out, _ = session("""
        gpus = tf.config.list_physical_devices('GPU')
        tf.config.set_logical_device_configuration(gpus[0], [tf.config.LogicalDeviceConfiguration(memory_limit=1024)])
        print(tf.config.list_logical_devices('GPU')[0])
    """)
    assert out == "LogicalDevice(name='/device:GPU:0', device_type='GPU')\n"


TWO = """
    cpus = tf.config.list_physical_devices('CPU')
    tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()] * 2)
    print(tf.config.list_logical_devices('CPU'))
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    print('Number of devices: %d' % strategy.num_replicas_in_sync)
"""


def test_two_logical_devices():
    out, _ = session(textwrap.dedent(TWO).split("strategy =")[0])
    assert out == ("[LogicalDevice(name='/device:CPU:0', device_type='CPU'), "
                   "LogicalDevice(name='/device:CPU:1', device_type='CPU')]\n")


def test_mirrored_strategy_over_two_logical_devices():
    out, log = session("import logging; logging.basicConfig(level=logging.INFO)\n" + textwrap.dedent(TWO))
    assert "Number of devices: 2" in out and "Using MirroredStrategy with devices" in log


def test_strategy_scope(run):  # noqa: F811
    from tensorflow.keras import layers, optimizers

    params = {"conv1_feature": 4, "conv2_feature": 4, "conv3_feature": 4, "conv_kernel": 3, "maxpool_size": 2,
              "linear1_size": 8, "learning_rate": 0.01}
    got = run("000_strategy_scope", tf=tf, layers=layers, optimizers=optimizers, params=params,
              strategy=tf.distribute.MirroredStrategy(["/CPU:0"]))
    images, labels = np.random.rand(16, 28, 28, 1).astype("float32"), np.arange(16) % 10
    history = got.distributed_model.fit(images, labels, verbose=0).history  # outside the scope, as the text allows
    assert np.isfinite(history["loss"]).all() and set(history) == {"loss", "accuracy"}
    assert got.distributed_model.predict(images, verbose=0).shape == (16, 10)
