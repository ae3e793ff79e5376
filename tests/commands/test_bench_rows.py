"""The programs of `reflow bench` run, and a call's time is counted in microseconds."""

import numpy as np
import pytest

import reflow as tf
from reflow.commands import bench_rows


@pytest.mark.parametrize("name", bench_rows.ROWS)
def test_programs(name):
    assert np.all(np.isfinite(bench_rows.ROWS[name](tf)()))


def test_the_time_of_a_call(monkeypatch):
    now = iter(range(10_000))
    monkeypatch.setattr(bench_rows.time, "perf_counter", lambda: next(now))  # every look at the clock takes a second
    monkeypatch.setattr(bench_rows, "WARM_UP", 0)
    assert bench_rows.microseconds(lambda: None, 0.0) == 1e6
