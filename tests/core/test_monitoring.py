"""Counters, gauges and samplers."""

import pytest

from reflow.core import monitoring


def test_cells_by_label():
    counter = monitoring.Counter("reflow/counter", "a counter", "method")
    counter.get_cell("a").increase_by(2)
    counter.get_cell("b").increase_by(1)
    assert monitoring.Counter("reflow/counter", "again", "method").get_cell("a").value() == 2
    with pytest.raises(ValueError, match="1 labels, not 0"):
        counter.get_cell()


def test_gauges_and_samplers():
    gauge = monitoring.StringGauge("reflow/gauge", "a gauge")
    gauge.get_cell().set("x")
    assert gauge.get_cell().value() == "x" and monitoring.IntGauge("reflow/int", "").get_cell().value() == 0
    sampler = monitoring.Sampler("reflow/sampler", monitoring.ExponentialBuckets(1.0, 2.0, 2), "a sampler")
    for value in (1.0, 5.0):
        sampler.get_cell().add(value)
    proto = sampler.get_cell().value()
    assert (proto.min, proto.max, proto.num, proto.sum, list(proto.bucket)) == (1.0, 5.0, 2.0, 6.0, [0.0, 1.0, 1.0])


def test_a_section_inside_itself_counts_once():
    cell = monitoring.Counter("reflow/timer", "").get_cell()
    timer = lambda: monitoring.MonitoredTimer(cell, "section", avoid_repetitive_counting=True)
    with timer():
        with timer():
            assert monitoring.MonitoredTimerSections == ["section", "section"]
        assert cell.value() == 0
    assert cell.value() >= 0 and monitoring.MonitoredTimerSections == []
    assert monitoring.monitored_timer(cell)(lambda x: x + 1)(2) == 3
