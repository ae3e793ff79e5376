"""`reflow bench`: a table of times; what cannot be run is said on standard error."""

import re

import pytest

from reflow.commands import bench


def test_a_row_is_timed(capfd):
    assert bench.main(["--only", "eager a + a", "--seconds", "0.01"]) == 0
    assert re.search(r"Reflow µs\neager a \+ a, 10x10 +[\d.]+\n$", capfd.readouterr().out)


def test_what_cannot_be_run(capfd):
    for arguments, words in (
        [["--only", "nothing"], "no row has 'nothing'"], [["--against", "no-python"], "no such python"]
    ):
        with pytest.raises(SystemExit) as stop:
            bench.main(arguments)
        assert stop.value.code == 2 and words in capfd.readouterr().err
    assert bench.times(["false"]) is None
    assert "false ended with exit status 1" in capfd.readouterr().err
