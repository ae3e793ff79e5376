"""Stacks of threads when work stops."""

import threading

from reflow.drop_in.python.distribute.coordinator.watchdog import WatchDog


def test_it_prints_stacks_when_nothing_is_reported(tmp_path):
    triggered = threading.Event()
    with open(tmp_path / "stacks", "w+") as file:
        dog = WatchDog(0.01, file, triggered.set)
        assert triggered.wait(60)
        dog.stop()
        file.flush()
        text = (tmp_path / "stacks").read_text()
    assert "most recent call first" in text and "==== End of stack traces ====" in text


def test_it_does_nothing_without_a_timeout():
    before = threading.active_count()
    dog = WatchDog()
    dog.report_closure_done()
    assert threading.active_count() == before
    dog.stop()
