"""Buffers of variables: copies that a program may take over."""

import numpy as np

from reflow.compile import buffers


def test_a_large_variable_is_no_alias_of_the_array_it_came_from(monkeypatch):
    """A program could not take over an alias: the first step of a model of 4 GB took 9 GB."""
    monkeypatch.setattr(buffers, "HUGE", 1 << 20)
    memory = np.zeros((1 << 18) + 16, np.float32)
    aligned = memory[(-memory.ctypes.data % 64) // 4 :][: 1 << 18]
    moved = buffers.device_copy(aligned)
    memory[:] = 1.0
    assert moved.unsafe_buffer_pointer() != aligned.ctypes.data
    assert not np.asarray(moved).any()
