"""Replicas in step: one at a time, in order, meeting where they exchange values."""

import contextlib
import threading

import pytest

from reflow.distribute.replicas import meet, run_in_step


def in_step(*functions):
    return run_in_step(functions, [contextlib.nullcontext()] * len(functions))


def total(brought):
    return [sum(brought)] * len(brought)


def test_each_runs_to_its_end_or_to_a_meeting():
    events = []

    def replica(n):
        def run():
            events.append(f"{n} begins")
            met = meet(total, n)
            events.append(f"{n} ends")
            return met

        return run

    assert in_step(*map(replica, range(3))) == [3, 3, 3]
    assert events == ["0 begins", "1 begins", "2 begins", "0 ends", "1 ends", "2 ends"]


def test_an_error_ends_all_of_them():
    def waits():
        meet(total, 1)

    def fails():
        raise ValueError("boom")

    before = threading.active_count()
    with pytest.raises(ValueError, match="boom"):
        in_step(waits, fails)
    assert threading.active_count() == before


def test_all_must_meet_equally_often():
    with pytest.raises(RuntimeError, match="Some replicas ended while others wait"):
        in_step(lambda: meet(total, 1), lambda: 2)


def test_outside_of_replicas_nobody_meets():
    with pytest.raises(RuntimeError, match="strategy.run"):
        meet(total, 1)
