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
    assert blas.on_idle_cores(lambda x, y: threads(y))(LARGE[:1], LARGE) == 1, "either operand may be the large one"
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
