"""`reflow/distribute/dtensor/accelerators.py`: the system starts once, before anything else."""

import pytest

import reflow as tf
from tests.distribute.dtensor.meshes import dtensor


def test_the_system_starts_once_and_ends():
    tf.constant(1.0)
    with pytest.raises(ValueError, match="TensorFlow has already been initialized"):
        dtensor.initialize_accelerator_system("CPU")
    assert dtensor.initialize_accelerator_system("CPU", experimental_reset_context=True) == "CPU"
    assert dtensor.create_distributed_mesh({"x": 1}).shape() == [1]
    with pytest.raises(ValueError, match="already been initialized"):
        dtensor.initialize_accelerator_system()
    dtensor.shutdown_accelerator_system()
    with pytest.raises(ValueError, match="is not initialized"):
        dtensor.shutdown_accelerator_system()


def test_other_devices(monkeypatch):
    with pytest.raises(ValueError, match="Unknown device_type NPU"):
        dtensor.initialize_accelerator_system("NPU", experimental_reset_context=True)
    with pytest.raises(tf.errors.NotFoundError, match="No TPU devices found"):
        dtensor.initialize_accelerator_system("TPU", experimental_reset_context=True)
    monkeypatch.setenv("DTENSOR_JOBS", "a:1,b:2")
    with pytest.raises(tf.errors.UnimplementedError, match="runs in one process"):
        dtensor.initialize_accelerator_system("CPU", experimental_reset_context=True)
