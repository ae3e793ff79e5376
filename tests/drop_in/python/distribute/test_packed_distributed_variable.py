"""`reflow/drop_in/python/distribute/packed_distributed_variable.py` on two logical CPUs: values and errors are recorded
from TensorFlow 2.21."""

import os
import subprocess
import sys

import pytest

import reflow as tf
from reflow.drop_in.python.distribute import packed_distributed_variable as packed
from tests.drop_in.processes import ROOT

PROGRAM = """
import tensorflow as tf
from tensorflow.python.distribute import device_util, packed_distributed_variable as packed

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
FIRST, SECOND = device_util.canonicalize("/cpu:0"), device_util.canonicalize("/cpu:1")


def made(first, second):
    with tf.device(FIRST):
        v0 = tf.Variable(first)
    with tf.device(SECOND):
        v1 = tf.Variable(second)
    return packed.PackedDistributedVariable([v0, v1], "packed"), v0, v1


def on(device, function):
    with tf.device(device):
        return function()


both, v0, v1 = made(1.0, 2.0)
assert both.devices == [FIRST, SECOND] and both.name == "packed:0" and both.is_initialized()
assert float(both.value()) == 1.0 and on(SECOND, lambda: float(both.read_value())) == 2.0
assert on(SECOND, lambda: float(both + 1.0)) == 3.0 and on(SECOND, lambda: float(tf.convert_to_tensor(both))) == 2.0
assert both.get_var_on_device(SECOND) is v1 and on(SECOND, both.get_var_on_current_device) is v1
on(SECOND, lambda: both.assign(5.0))
assert (float(v0), float(v1)) == (1.0, 5.0)


@tf.function
def scoped(_):
    with tf.device(FIRST):
        both.assign_add(3.0).assign_sub(1.0)
        first = both.value()
    with tf.device(SECOND):
        both.assign_sub(4.0).assign_sub(2.0)
        second = both.value()
    return first, second


assert [float(x) for x in scoped(both)] == [3.0, -1.0] and [float(x) for x in scoped(both)] == [5.0, -7.0]
here, there = both.on_device(FIRST), packed.PackedVarAndDevice(both, SECOND)


@tf.function
def through_devices():
    here.assign_add(3.0)
    there.assign_sub(4.0)
    return here.value(), there.read_value()


assert [float(x) for x in through_devices()] == [8.0, -11.0] == [float(v0), float(v1)]
assert there.device == SECOND and there.var() is both and there.shape == []
assert float(tf.convert_to_tensor(there)) == -11.0
assert there.handle.dtype is there.on_device_handle().dtype is tf.resource

both, v0, v1 = made([1.0, 2.0], [3.0, 4.0])
row = tf.IndexedSlices(tf.constant([2.0]), tf.constant([0]))
for method, expected in (("sub", 1.0), ("add", 3.0), ("mul", 6.0), ("div", 3.0), ("min", 2.0), ("max", 2.0)):
    getattr(both.on_device(SECOND), f"scatter_{method}")(row)
    assert v0.numpy().tolist() == [1.0, 2.0] and v1.numpy().tolist() == [expected, 4.0], method
print("done")
"""


def test_each_device_has_its_copy():
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "reflow", "-c", PROGRAM], capture_output=True, text=True, env=environment, timeout=300
    )
    assert done.returncode == 0 and done.stdout == "done\n", done.stderr


def test_refusals():
    with pytest.raises(ValueError, match="Expect a non-empty list of variables to pack"):
        packed.PackedDistributedVariable([])
    with pytest.raises(ValueError, match="but the 1-th variable is <class 'int'>"):
        packed.PackedDistributedVariable([tf.Variable(1), 3])
    with pytest.raises(ValueError, match="Device /gpu:7 is not found"):
        packed.PackedDistributedVariable([tf.Variable(1)]).get_var_on_device("/gpu:7")
    variable = tf.Variable(1)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="should be created in eager mode"):
        packed.PackedDistributedVariable([variable])
