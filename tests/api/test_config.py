"""`tf.config` and `tf.device`: what real TensorFlow 2.21 answers on a machine with one CPU (recorded by hand)."""

import os
import subprocess
import sys

import pytest

import reflow as tf
from reflow.api.framework import internal
from reflow.devices import placement as devices
from reflow.devices import settings as device_settings
from tests.pretended import Pretended

CPU = tf.config.PhysicalDevice("/physical_device:CPU:0", "CPU")
FULL = "/job:localhost/replica:0/task:0/device:CPU:"


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """A machine without GPUs, on which nothing has run yet."""
    monkeypatch.setattr(device_settings, "driver", Pretended(0))
    devices.reset()
    yield
    monkeypatch.undo()
    tf.debugging.set_log_device_placement(False)
    devices.reset()


def two_cpus():
    tf.config.set_logical_device_configuration(CPU, [tf.config.LogicalDeviceConfiguration()] * 2)


def test_physical_devices():
    assert tf.config.list_physical_devices("CPU") == [CPU]
    assert tf.config.list_physical_devices("FOO") == []
    assert repr(CPU) == "PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')"
    assert tf.config.get_visible_devices("CPU") == [CPU]


def test_looking_for_devices_starts_neither_jax_nor_the_runtime():
    code = ("import sys, reflow as tf\n"
            "tf.config.list_physical_devices(); tf.config.list_physical_devices('GPU')\n"
            "from reflow.devices import settings as devices\n"
            "assert 'jax' not in sys.modules and not devices.started()\n"
            "tf.constant(1); assert devices.started()")
    paths = os.pathsep.join(filter(None, [os.getcwd(), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": paths}
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_logical_devices_are_names_and_can_be_reset():
    assert [d.name for d in tf.config.list_logical_devices("CPU")] == ["/device:CPU:0"]
    with pytest.raises(RuntimeError, match="Virtual devices cannot be modified after being initialized"):
        two_cpus()
    tf.__internal__.eager_context._reset_context()
    two_cpus()
    assert len(tf.config.get_logical_device_configuration(CPU)) == 2
    assert [d.name for d in tf.config.list_logical_devices()] == ["/device:CPU:0", "/device:CPU:1"]
    two_cpus()  # the same again is no change


def test_a_tensor_starts_the_runtime():
    tf.constant(1)
    with pytest.raises(RuntimeError, match="Visible devices cannot be modified after being initialized"):
        tf.config.set_visible_devices([], "CPU")
    with pytest.raises(RuntimeError, match="Intra op parallelism cannot be modified after initialization."):
        tf.config.threading.set_intra_op_parallelism_threads(3)
    with pytest.raises(RuntimeError, match="Inter op parallelism cannot be modified after initialization."):
        tf.config.threading.set_inter_op_parallelism_threads(3)
    tf.config.set_visible_devices(CPU, "CPU")


def test_visible_devices():
    tf.config.set_visible_devices([], "CPU")
    assert tf.config.list_logical_devices() == []
    with pytest.raises(ValueError, match=r"Unrecognized device: PhysicalDevice\(name='foo', device_type='GPU'\)"):
        tf.config.set_visible_devices(tf.config.PhysicalDevice("foo", "GPU"))


def test_refused_settings():
    with pytest.raises(ValueError, match="Setting memory limit on CPU virtual devices is currently not supported"):
        tf.config.set_logical_device_configuration(CPU, [tf.config.LogicalDeviceConfiguration(memory_limit=10)])
    with pytest.raises(ValueError, match="Cannot set memory growth on non-GPU and non-Pluggable devices"):
        tf.config.experimental.set_memory_growth(CPU, True)
    two_cpus()
    with pytest.raises(ValueError, match="Cannot set memory growth on device when virtual devices configured"):
        tf.config.experimental.set_memory_growth(CPU, True)
    assert tf.config.experimental.VirtualDeviceConfiguration is tf.config.LogicalDeviceConfiguration


def test_memory_info():
    assert tf.config.experimental.get_memory_info("CPU:0") == {"current": 0, "peak": 0}
    with pytest.raises(ValueError, match="No matching devices found for 'GPU:9'"):
        tf.config.experimental.get_memory_info("GPU:9")
    with pytest.raises(ValueError, match="Failed parsing device name: 'foo'."):
        tf.config.experimental.get_memory_info("foo")
    assert tf.config.experimental.get_device_details(CPU) == {}


@pytest.mark.parametrize("name, index", [
    ("/CPU:0", 0), ("CPU:1", 1), ("/cpu:1", 1), ("/device:CPU:1", 1), ("/GPU:9", 0), ("/CPU:7", 0), (FULL + "1", 1),
    ("cpu", 0),
    (None, 0), ("", 0), (tf.DeviceSpec(device_type="CPU", device_index=1), 1), (tf.config.LogicalDevice("/device:CPU:1",
                                                                                                        "CPU"), 1)])
def test_device_scope(name, index):
    two_cpus()
    with tf.device(name):
        assert tf.constant([1.0]).device == FULL + str(index)
        assert (tf.constant([1.0]) + 1.0).device == FULL + str(index)
        assert tf.Variable(1.0).device == FULL + str(index)
    assert tf.constant(1).device == FULL + "0"


def test_nested_device_scopes():
    two_cpus()
    with tf.device("/CPU:1"):
        with tf.device("/CPU:0"):
            assert tf.constant(1).device == FULL + "0"
        with tf.device(None):
            assert tf.constant(1).device == FULL + "0"
        with tf.device("/job:localhost"):
            assert tf.constant(1).device == FULL + "1"


def test_devices_of_nodes():
    @tf.function
    def f(x):
        with tf.device("/cpu:1"):
            return x + 1.0

    nodes = f.get_concrete_function(tf.constant(1.0)).graph.get_operations()
    assert {n.device for n in nodes if n.type == "AddV2"} == {"/device:CPU:1"}
    assert {n.device for n in nodes if n.type == "Placeholder"} == {""}


@pytest.mark.parametrize("name, error, message", [
    ("foo", ValueError, "Unknown attribute 'foo' is encountered while parsing the device spec: 'foo'."),
    (3, ValueError, r"Expecting a string device name. Got <class 'int'>\(3\)"),
    ("/job:foo/device:CPU:0", tf.errors.InvalidArgumentError, "/job:foo/replica:0/task:0/device:CPU:0 unknown device."),
])
def test_bad_device_names(name, error, message):
    with pytest.raises(error, match=message), tf.device(name):
        tf.constant(1)


def test_without_soft_placement_a_missing_device_is_an_error():
    assert tf.config.get_soft_device_placement() is True
    tf.config.set_soft_device_placement(False)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught, tf.device("/GPU:9"):
        tf.constant(1)
    wanted = "'/job:localhost/replica:0/task:0/device:GPU:9'"
    assert f"Could not satisfy device specification {wanted}. enable_soft_placement=0." in str(caught.value)


def test_device_spec():
    spec = tf.DeviceSpec.from_string("/job:w/task:1/device:CPU:0")
    assert repr(spec) == "<DeviceSpec(job=w, replica=None, task=1, device_type=CPU, device_index=0)>"
    assert tf.DeviceSpec.from_string("/gpu:1").to_string() == "/device:GPU:1"
    merged = tf.DeviceSpec(job="a", device_type="GPU").make_merged_spec(tf.DeviceSpec(task=2))
    assert merged.to_string() == "/job:a/task:2/device:GPU:*"
    assert spec.replace(task=3).task == 3 and hash(spec) == hash(spec.replace())


def test_devices_that_there_are_not():
    for name in ("unknown_device:0", "GPU:7"):
        for function in (tf.config.experimental.get_memory_info, tf.config.experimental.reset_memory_stats):
            with pytest.raises(ValueError, match=f"No matching devices found for '{name}'"):
                function(name)
    for name in ("GPU", "GPU:", "GPU:CPU"):
        with pytest.raises(ValueError, match=f"Failed parsing device name: '{name}'"):
            internal.context().get_memory_info(name)
        with pytest.raises(ValueError, match=f"Failed parsing device name: '{name}'"):
            internal.context().reset_memory_stats(name)
    other = tf.config.PhysicalDevice("/physical_device:CPU:100", "CPU")
    with pytest.raises(ValueError, match="must be one obtained from calling `tf.config.list_physical_devices`"):
        tf.config.experimental.get_device_details(other)


def test_the_context_shows_what_was_asked_for():
    context = internal.context()
    seen = [(context.config.experimental.enable_mlir_bridge, context.config.experimental.mlir_bridge_rollout)]
    for switch in (tf.config.experimental.enable_mlir_bridge, tf.config.experimental.disable_mlir_bridge):
        switch()
        seen.append((context.config.experimental.enable_mlir_bridge, context.config.experimental.mlir_bridge_rollout))
    assert seen == [(False, 0), (True, 1), (False, 2)]
    tf.config.experimental.set_synchronous_execution(False)
    assert context.execution_mode == 1
    context.execution_mode = 0
    assert tf.config.experimental.get_synchronous_execution()
