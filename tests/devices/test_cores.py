"""How many cores are idle."""

import pytest

from reflow.devices import cores


@pytest.mark.parametrize(("running", "idle"), [(1, 4), (2, 3), (4, 1), (9, 1)])
def test_what_runs_is_counted(tmp_path, monkeypatch, running, idle):
    (tmp_path / "loadavg").write_text(f"0.20 0.18 0.12 {running}/80 11206\n")
    monkeypatch.setattr(cores, "_RUNNING", str(tmp_path / "loadavg"))
    count = cores.IdleCores()
    count.cores = 4
    assert count() == idle
    (tmp_path / "loadavg").unlink()
    assert count() == idle, "counted again too soon"
    count.until = 0.0
    assert count() == idle, "a file that cannot be read says nothing new"


def test_a_process_that_may_use_a_part_of_the_cores_does_not_count(monkeypatch):
    monkeypatch.setattr(cores.os, "cpu_count", lambda: 1_000)
    assert cores.IdleCores()() == 0
