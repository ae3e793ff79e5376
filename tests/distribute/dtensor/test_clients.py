"""`reflow/distribute/dtensor/clients.py`: what the environment says about the processes."""

import pytest

from tests.distribute.dtensor.meshes import dtensor


def test_several_clients(monkeypatch):
    monkeypatch.setenv("DTENSOR_JOBS", "a:1,b:2")
    monkeypatch.setenv("DTENSOR_CLIENT_ID", "1")
    assert (dtensor.num_clients(), dtensor.client_id(), dtensor.job_name()) == (2, 1, "worker")
    assert dtensor.full_job_name() == "worker/replica:0/task:1"
    assert dtensor.num_global_devices("CPU") == 2 * dtensor.num_local_devices("cpu")
    monkeypatch.setenv("DTENSOR_CLIENT_ID", "2")
    with pytest.raises(ValueError, match="must be < 2, got 2"):
        dtensor.client_id()
    monkeypatch.setenv("DTENSOR_CLIENT_ID", "-1")
    with pytest.raises(ValueError, match="must be >= 0"):
        dtensor.client_id()


def test_refusals(monkeypatch):
    monkeypatch.setenv("DTENSOR_JOBS", "/bns/a/1:p,/bns/a/0:p")
    with pytest.raises(ValueError, match="Sort entries"):
        dtensor.jobs()
    monkeypatch.delenv("DTENSOR_JOBS")
    with pytest.raises(ValueError, match="Unexpected task ID 3"):
        dtensor.full_job_name(3)
    with pytest.raises(ValueError, match="is not CPU, GPU, or TPU"):
        dtensor.local_devices("NPU")
    monkeypatch.setenv("DTENSOR_ENABLE_HEARTBEAT", "false")
    assert not dtensor.heartbeat_enabled()
