"""Simulated TPU cores for a test."""

import pytest

from reflow.devices import placement


@pytest.fixture
def cores(monkeypatch):
    """`cores(n)`: from now on the process has n simulated TPU cores."""

    def have(count):
        monkeypatch.setenv("REFLOW_SIMULATED_TPUS", str(count))
        placement.reset()

    yield have
    monkeypatch.undo()
    placement.reset()
