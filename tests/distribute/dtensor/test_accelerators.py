"""`reflow/distribute/dtensor/accelerators.py`: the system starts once, before anything else."""

from pathlib import Path

import numpy as np
import pytest

import reflow as tf
from tests.distribute.dtensor.meshes import dtensor
from tests.distribute.workers import free_addresses, start, started


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


def test_other_devices():
    with pytest.raises(ValueError, match="Unknown device_type NPU"):
        dtensor.initialize_accelerator_system("NPU", experimental_reset_context=True)
    with pytest.raises(tf.errors.NotFoundError, match="No TPU devices found"):
        dtensor.initialize_accelerator_system("TPU", experimental_reset_context=True)


def expected_of_clients():
    """What each client of `clients_program.py` prints, computed by NumPy."""
    x, w = np.arange(16).reshape(4, 4) / 16, np.arange(8).reshape(4, 2) / 8
    losses = []
    for _ in range(3):
        y = x @ w
        losses.append(f"{(y * y).sum():.3f}")
        w = w - 0.01 * x.T @ (2 * y)
    text = lambda numbers: [f"{n:.3f}" for n in numbers]
    for client in range(2):
        parts = [text((x @ w)[2 * client : 2 * client + 2, column]) for column in range(2)]
        yield f"{losses} /job:worker/replica:0/task:{client}/device:CPU:1 {parts}"


def test_two_processes_share_a_mesh(tmp_path):
    program, jobs = Path(__file__).parent / "clients_program.py", ",".join(free_addresses(2))
    processes = [start(program, str(tmp_path), DTENSOR_JOBS=jobs, DTENSOR_CLIENT_ID=str(i)) for i in range(2)]
    with started(*processes):
        out = [p.communicate(timeout=200) for p in processes]
    assert [printed.splitlines()[-1:] for printed, _ in out] == [[line] for line in expected_of_clients()], out
    assert tf.train.load_variable(str(tmp_path / "checkpoint-1"), "w/.ATTRIBUTES/VARIABLE_VALUE").shape == (4, 2)
