"""Memory that is freed at the end of a step is there for the next one."""

import ctypes
import resource
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from reflow.devices import host_memory


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="page faults are counted differently")
def test_arrays_of_a_step_take_no_pages_from_the_system_again(monkeypatch):
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    for name in [name for name in host_memory.os.environ if name.startswith("MALLOC_")]:
        monkeypatch.delenv(name)
    if not host_memory.keep_freed_memory():
        pytest.skip("this C library's allocator has no limits")

    def step():
        buffers = [np.ones(size << 20, np.float32) for size in (1, 1, 1, 1, 12)]  # one of them of 48 MB: 64 MB in all
        return sum(b[0] for b in buffers)

    for _ in range(5):
        step()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(5):
        step()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 6_000  # of 81,920 pages


def test_the_user_has_the_last_word(monkeypatch):
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "131072")
    assert not host_memory.keep_freed_memory()
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_")
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.trim_threshold=131072")
    assert not host_memory.keep_freed_memory()


@pytest.mark.parametrize("processors, capped", [(2, True), (16, False)])
def test_many_processors_keep_their_heaps(monkeypatch, processors, capped):
    given = []
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace(mallopt=lambda *limit: given.append(limit) or 1))
    monkeypatch.setattr(host_memory.os, "cpu_count", lambda: processors)
    monkeypatch.setattr(host_memory.os, "environ", {})
    assert host_memory.keep_freed_memory()
    assert ((host_memory._M_ARENA_MAX, host_memory.ARENAS) in given) is capped
