"""Programs under `MirroredStrategy` on two logical CPUs print what TensorFlow prints (`tools/golden/distribute.py`)."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import reflow as tf
from tools.golden.distribute import PROGRAMS

NUMBER = re.compile(r"-?\d+\.\d*(?:e-?\d+)?")


def python(*arguments):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    environment = os.environ | {"PYTHONPATH": root}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment, timeout=300)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_a_program_prints_what_tensorflow_prints(program):
    done = python("-m", "reflow", str(program))
    assert done.returncode == 0, done.stderr
    got, expected = done.stdout.splitlines(), program.with_suffix(".txt").read_text().splitlines()
    assert [NUMBER.sub("#", line) for line in got] == [NUMBER.sub("#", line) for line in expected]
    for mine, theirs in zip(got, expected, strict=True):
        numbers = [[float(n) for n in NUMBER.findall(line)] for line in (mine, theirs)]
        np.testing.assert_allclose(*numbers, rtol=2e-4, atol=2e-4, err_msg=mine)


HEAD = """
import reflow as tf
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
"""

MISTAKES = {
    "a device that does not exist, and may not be replaced": (
        (
            "tf.config.set_soft_device_placement(False); tf.distribute.MirroredStrategy(['CPU:0', "
            "'CPU:5']).run(lambda: tf.zeros([]) + 1.0)"
        ),
        "InvalidArgumentError: Could not satisfy device specification '/job:localhost/replica:0/task:0/device:CPU:5'",
    ),
    "a device twice": ("tf.distribute.MirroredStrategy(['CPU:0', 'cpu:0'])", "AssertionError: No duplicates allowed"),
    "one replica meets, the other does not": (
        "tf.distribute.MirroredStrategy(['CPU:0', 'CPU:1']).run(lambda: "
        "tf.distribute.get_replica_context()._replica_id or tf.distribute.get_replica_context().all_reduce('sum', "
        "1.0))",
        "RuntimeError: Some replicas ended while others wait",
    ),
    "scalars cannot be shared out": (
        "tf.distribute.MirroredStrategy(['CPU:0', 'CPU:1']).experimental_distribute_dataset(tf.data.Dataset.range(3))",
        "ValueError: .*Only datasets of batches",
    ),
    "a variable of another strategy": (
        "make = lambda: tf.distribute.MirroredStrategy(['CPU:0', 'CPU:1']); one = make(); scope = one.scope(); "
        "scope.__enter__(); v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM); scope.__exit__(None, None, "
        "None); make().run(lambda: v.assign_add(1.0))",
        "RuntimeError: Mixing different tf.distribute.Strategy objects",
    ),
    "a variable of no strategy": (
        "tf.distribute.MirroredStrategy(['CPU:0', 'CPU:1']).extended.update(tf.Variable(1.0), lambda v: v)",
        "ValueError: `update` needs a variable that was created in the strategy's scope",
    ),
}


@pytest.fixture(scope="module")
def said():
    """What each mistake raises, and the replicas' threads that it leaves:
    in one process, which takes a second and a half to start."""
    code = HEAD + f"""
import json, threading
for name, (line, _) in {MISTAKES!r}.items():
    try:
        exec(line)
    except Exception as error:
        said = type(error).__name__ + ": " + str(error).replace("\\n", " ")
    tf.config.set_soft_device_placement(True)
    print(json.dumps([name, said, [t.name for t in threading.enumerate() if "replica" in t.name]]))
"""
    done = python("-c", code)
    assert done.returncode == 0, done.stderr
    return {name: rest for name, *rest in map(json.loads, done.stdout.strip().splitlines())}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named_and_leave_no_thread(name, said):
    words, threads = said[name]
    assert re.match(MISTAKES[name][1], words), words
    assert threads == []


def test_no_devices_are_those_of_the_machine():
    assert (
        tf.distribute.MirroredStrategy([]).num_replicas_in_sync == tf.distribute.MirroredStrategy().num_replicas_in_sync
    )


def test_devices_that_do_not_exist_are_replaced(caplog):
    """As TensorFlow does while soft placement is on.

    Keras' tests mirror a variable on `cpu:1` of a machine with one logical CPU.
    """
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:7"])
    assert "not visible to TensorFlow: /job:localhost/replica:0/task:0/device:CPU:7" in caplog.text
    with strategy.scope():
        v = tf.Variable(3.0)
    assert len(v.values) == 2 and v.numpy() == 3.0
    assert [r.numpy() for r in strategy.run(lambda: v + 1.0).values] == [4.0, 4.0]


def test_a_trace_for_saving_has_the_python_values_of_the_call():
    strategy = tf.distribute.MirroredStrategy(["cpu:0"])
    with strategy.scope():
        v = tf.Variable(0.0)
        seen = []

        @tf.function
        def f(x, training=False):
            seen.append(training)
            return v.assign_add(x) if training else v + x

        f.get_concrete_function(tf.TensorSpec([]), training=True)
        (saved,) = f._list_all_concrete_functions_for_serialization()
    assert set(map(type, seen)) == {bool} and saved.graph.saveable
