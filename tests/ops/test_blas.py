"""BLAS beside other work: as many threads as there are idle cores, and all of them again afterwards."""

import numpy as np
import pytest

from reflow.ops.xp.host import blas

LARGE = np.ones((64, 128))
found = blas.library("numpy")
needs_openblas = pytest.mark.skipif(found is None or found.get_threads() < 2, reason="NumPy has another BLAS here")


def threads(x):
    return found.get_threads()


@pytest.fixture
def busy(monkeypatch):
    """One idle core of four."""
    monkeypatch.setattr(blas.idle_cores, "cores", 4)
    monkeypatch.setattr(blas.idle_cores, "idle", 1)
    monkeypatch.setattr(blas.idle_cores, "until", float("inf"))


@needs_openblas
def test_a_large_call_uses_the_idle_cores(busy):
    usual = found.get_threads()
    assert blas.on_idle_cores(threads)(LARGE) == 1
    assert blas.on_idle_cores(lambda x: (blas.on_idle_cores(threads)(x), threads(x)))(LARGE) == (1, 1)
    assert blas.on_idle_cores(threads)(LARGE[:1]) == found.get_threads() == usual


@needs_openblas
def test_threads_come_back_after_an_error(busy):
    usual = found.get_threads()
    with pytest.raises(np.linalg.LinAlgError):
        blas.on_idle_cores(np.linalg.cholesky)(-np.eye(64))
    assert found.get_threads() == usual


@needs_openblas
def test_all_threads_work_on_an_idle_machine(busy, monkeypatch):
    monkeypatch.setattr(blas.idle_cores, "idle", 4)
    assert blas.on_idle_cores(threads)(LARGE) == found.get_threads()


@pytest.mark.parametrize(("running", "idle"), [(1, 4), (2, 3), (4, 1), (9, 1)])
def test_what_runs_is_counted(tmp_path, monkeypatch, running, idle):
    (tmp_path / "loadavg").write_text(f"0.20 0.18 0.12 {running}/80 11206\n")
    monkeypatch.setattr(blas, "_RUNNING", str(tmp_path / "loadavg"))
    count = blas.IdleCores()
    count.cores = 4
    assert count() == idle
    (tmp_path / "loadavg").unlink()
    assert count() == idle, "counted again too soon"
    count.until = 0.0
    assert count() == idle, "a file that cannot be read says nothing new"


def test_a_process_that_may_use_a_part_of_the_cores_does_not_count(monkeypatch):
    monkeypatch.setattr(blas.os, "cpu_count", lambda: 1_000)
    assert blas.IdleCores()() == 0
