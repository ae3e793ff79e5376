"""Dates of announced behaviour. The expectations are TensorFlow's."""

import datetime

import reflow as tf
from reflow.api.framework import forward_compatibility as compat

HORIZON = compat._FORWARD_COMPATIBILITY_HORIZON


def is_on(days):
    date = HORIZON + datetime.timedelta(days=days)
    return tf.compat.forward_compatible(date.year, date.month, date.day)


def test_dates_before_the_horizon():
    assert [is_on(days) for days in (-1, 0, 1)] == [True, False, False]


def test_another_horizon():
    later = HORIZON + datetime.timedelta(days=2)
    with tf.compat.forward_compatibility_horizon(later.year, later.month, later.day):
        assert [is_on(days) for days in (0, 1, 2)] == [True, True, False]
    past = HORIZON - datetime.timedelta(days=5)
    with tf.compat.forward_compatibility_horizon(past.year, past.month, past.day):
        assert is_on(-1) and not is_on(0)


def test_days_from_the_environment(monkeypatch):
    monkeypatch.setenv("TF_FORWARD_COMPATIBILITY_DELTA_DAYS", "1")
    compat._update_forward_compatibility_date_number()
    assert is_on(0) and not is_on(1)
    monkeypatch.undo()
    compat._update_forward_compatibility_date_number()
    assert not is_on(0)
